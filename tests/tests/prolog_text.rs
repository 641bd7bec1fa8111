//! The syntax of Prolog: how SWI-Prolog reads texts and writes terms, and its whole library in both
//! directions.
#![expect(clippy::disallowed_methods, reason = "it asks SWI-Prolog")]

use conformance::swipl::{LIBRARY, check};
use prolog::data::{FunctorId, Value, Walk};
use prolog::text::{Op, OpType, Reader, Syntax, WriteOptions, write_term};
use prolog::{Machine, NoLibrary};
use rustc_hash::FxHashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Texts that exercise special cases of the syntax, with and without errors.
const TEXTS: &[&str] = &[
    "a 'mod' b",
    "a '-' b",
    "'-' 1",
    "'dynamic' foo",
    "- = x",
    "- - 1",
    "-1",
    "- 1",
    "-(1)",
    "- (1)",
    "-(-(1))",
    "- -1",
    "[-]",
    "[-|a]",
    "f(-)",
    "f(-,a)",
    "(-)",
    "- * 2",
    "\\\\+ = a",
    "dynamic - 1",
    "dynamic -1",
    "dynamic = 1",
    "X = \\\\+a",
    "f(:- a)",
    "f(a:-b)",
    "[a:-b,c]",
    "[a:-b|c]",
    "{a:-b}",
    "a:b:c",
    "a=b=c",
    "- a = b",
    "\\\\+ a, b",
    "a - (-1)",
    "a -1",
    "a - 1",
    "a-1",
    "1 - -1",
    "f(,)",
    "f(a,)",
    "[a,]",
    "[a|b,c]",
    "[a|b|c]",
    "(a",
    "a)",
    "a b",
    "X Y",
    "f (a)",
    "- (a,b)",
    "-(a,b)",
    "- [a]",
    "-[a]",
    "-(a)",
    "\\\\ a",
    "a | b",
    "(a | b)",
    "{a | b}",
    "f(a | b)",
    "a , b",
    ":- a :- b",
    ":- dynamic a",
    ":- :- a",
    "?- a",
    "a :- b :- c",
    "+ + +",
    "+ +",
    "- -",
    "a = + + b",
    "a = + = b",
    "= = =",
    "= a",
    "a =",
    "\\\\+ (a,b)",
    "\\\\+(a,b)",
    "1.5e3",
    "1e10",
    "0'a",
    "0'''",
    "0''",
    "- a * b",
    "-2 ^ 2",
    "- 2 ^ 2",
    "2 ** -1",
    "2 ** - 1",
    "a : - b",
    "!",
    "a;b->c",
    "[](a)",
    "{}(a)",
    "[]",
    "{}",
    "f()",
    "a:b:-c",
    "- - a",
    "\\\\ \\\\ a",
    "$a",
    "$ = a",
    "$",
    "table a/1",
    "table",
    "a table b",
    "(:-) = a",
    ":- = a",
    ":- , a",
    "- , a",
    "\\\\+ , a",
    "dynamic , a",
    "dynamic | a",
    "- | a",
    "[- | a]",
    "[:- , a]",
    "f(:- , a)",
    "{:- , a}",
    "{- , a}",
    "a :- :- , b",
    "(a , :-)",
    "f(:-)",
    "f(:-, b)",
    "[:-|b]",
    "* = *",
    "* * *",
    "f(+)",
    "- + 1",
    "-+1",
    "\\\\+a",
    "a=\\\\+b",
    "@ a",
    "a @ b",
    "dynamic a, b",
    "(dynamic a, b)",
    "dynamic(a), b",
    "is = is",
    "X is is",
    "mod mod mod",
    "a rem b",
    "rem(a)",
    "- (1) + 2",
    "-(1) + 2",
    "1 = :-",
    "- ( 1 , 2 )",
    "p :- (a :- b)",
    "p :- - a",
    "[a|-]",
    "[- , -]",
    "{-}",
    "- ; -",
    "a, - , b",
    "f(a;-)",
    "-(-)",
    "-(-)(1)",
    "\\\\(-)",
    "1 is a is b",
    "a ** b ** c",
    "a ^ b ^ c",
    "a - b - c",
    "a = \\\\ b",
    "- a ^ b",
    "-1 ^ b",
    "f(A, _B, _, A)",
    "'q q'",
    "a:(b:-c)",
    "0x1F",
    "1_000",
    "1 000",
    "1r3",
    "1.0Inf",
    "''",
    "a% comment",
    "a /* c */ + b",
    "#",
    "a # b",
    "& a",
    "a --> b, {c}, !",
    "p :- \\\\+ q, r",
    "[a,b|[c]]",
    "'[]'",
    "'{}'(x)",
    "{a,b}",
    "f(a, (b, c))",
    "(a , b)",
    "- {a}",
    "a:b:c:d",
    "1 + 2 * 3 - 4",
    "(1 + 2) * 3",
    "2 - (3 - 4)",
    "(a :- b) :- c",
    "f((:-))",
    "[(a , b)]",
    "\\\\ (-)",
    "- (-)",
    "1 = (=)",
    "f(;)",
    "f(|)",
    "(a;b)",
    "[a|(b,c)]",
    "- 'x'",
    "-'x'",
    "a*(b,c)*d",
    "f(A):-A",
    "\\\\+ \\\\+ a",
    "a->b;c",
    "a*->b;c",
    "\\\"a\\\"",
    "`ab`",
    "'\\\\n'",
    "'a\\\\\\\\b'",
    "'don\\\\'t'",
    "'don''t'",
    "a\\\\=b",
    "a=..b",
    "X>=Y",
    "X=<Y",
    "a:-b,c;d",
    "?-a,b",
    "f(a)(b)",
    "X(a)",
    "1.",
    "1.a",
    ".a",
    "a.",
    "[a b]",
    "f(a b)",
];

#[test]
fn reading() {
    let goal = |text: &&str| {
        format!("term_to_atom(T, \"{text}\"), with_output_to(string(S), write_canonical(T))")
    };
    check("", &TEXTS.iter().map(goal).collect::<Vec<_>>());
}

/// The tokens of random texts. Left out are texts that SWI-Prolog reads as dicts, groups of digits with
/// spaces, quasi quotations, and texts that end inside a token.
const TOKENS: &[&str] = &[
    "a", "b", "foo", "X", "Y", "_Z", "1", "2.5", "0x1f", "1e3", "0'a ", "-", "+", "*", "\\\\",
    "\\\\+", "=", "==", "-->", "->", ";", ",", "(", ")", "[", "]", " {", "}", "(", "(", ")", ")",
    "'q r'", "''", "`c`", "^", "**", "mod", "is", "rem", "$", ":", "@", "#", "&", "=..", "<", ">",
    "-1", "f(", "g(", "f(", "[a|", " {a}", "[]", " {}", "1.0Inf", "0b101", "/*c*/", ">>", "/",
    "//", "rdiv", "xor", "div", "\\\\=", "@<", "as", "=>", ":=", "~", "?",
];

/// Random sequences of tokens: both readers accept the same ones, and read the same terms.
#[test]
fn soups() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut roll = |sides: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % sides as u64).unwrap_or(0)
    };
    let mut soup = || {
        let mut text = String::new();
        for _ in 0..=roll(8) {
            text.push_str(TOKENS.get(roll(TOKENS.len())).copied().unwrap_or("a"));
            text.push_str(if roll(2) == 0 { " " } else { "" });
        }
        // Without this token, a text of comments only would be the end of the file for SWI-Prolog.
        text + "a"
    };
    let goal = |text: String| {
        format!(
            "catch(( term_to_atom(T, \"{text}\"), with_output_to(string(S), write_canonical(T)) ), \
             error(syntax_error(_), _), S = rejected)"
        )
    };
    check("", &(0..6_000).map(|_| goal(soup())).collect::<Vec<_>>());
}

/// Returns terms in which operators, signs and names are adjacent.
fn written() -> Vec<String> {
    let atoms = [
        "a",
        "b1",
        "'A b'",
        "+",
        "-",
        "*",
        "\\",
        "=",
        ":-",
        "dynamic",
        "mod",
        "[]",
        "{}",
        "!",
        ";",
        "','",
        "'|'",
        "''",
        "is",
        "\\+",
        "$",
        "'\\n'",
        "1",
        "-1",
        "- 1",
        "1.5",
        "-1.5",
        "1r3",
        "-1r3",
        "\"s t\"",
        "[a]",
        "[a,-|b]",
        "{a}",
        "{-}",
        "f(x)",
        "f(-)",
        "f((a,b))",
        "f((a:-b))",
        "- a",
        "-(-(1))",
        "1 - 2",
        "a=(\\+b)",
        "-(-)",
        "\\ a",
        "(a:-b)",
        "(a,b)",
        "(a;b)",
        "(a->b)",
        "(:- a)",
        "a:b",
        "1 rdiv 2",
        "- (1)",
        "1 mod 2",
        "-(a)",
        "\\+a",
        "(dynamic a)",
        "(a|b)",
        "2**3",
        "2^3",
        "[(a,b)]",
        "[a|b]",
        "'$VAR'(1)",
        "'$VAR'('Foo')",
        "'$VAR'(x)",
        "'hello world'(x)",
        "+(+)",
    ];
    let mut terms: Vec<String> = atoms.iter().map(|it| (*it).to_owned()).collect();
    for x in atoms {
        for name in
            ["-", "+", "\\", "\\+", ":-", "dynamic", "?-", "$", "f", "'A b'", "[]", "{}", "@"]
        {
            terms.push(format!("'{}'({x})", name.trim_matches('\'').replace('\\', "\\\\")));
        }
        for y in atoms {
            for name in ["-", "=", ",", ":-", "mod", "^", "**", ":", "is", "->", "|", "@"] {
                terms.push(format!("'{name}'({x}, {y})"));
            }
        }
    }
    terms
}

#[test]
fn writing() {
    let goal = |term: String| {
        let styles = "writeq(T), nl, print(T), nl, write(T), nl, write_canonical(T), nl, \
                      write_term(T, [quoted(true), spacing(next_argument), portray(true)])";
        format!("T = ({term}), with_output_to(string(S), ({styles})), T2 = done")
            .replace("T = (", "'$t'(T, (")
            .replacen("), with_output_to", ")), with_output_to", 1)
    };
    check("'$t'(T, T).", &written().into_iter().map(goal).collect::<Vec<_>>());
}

/// Reads every term of the installed library and compares its text with that of SWI-Prolog; then reads the
/// text again.
#[test]
fn the_library() {
    let files = library_files();
    assert!(300 < files.len(), "{}", files.len());
    let theirs = swipl_terms(&files);
    let mut n_terms = 0;
    let mut different = Vec::new();
    for (file, theirs) in files.iter().zip(theirs) {
        let ours = our_terms(file);
        n_terms += ours.len();
        let name = file.display().to_string();
        if ours.len() != theirs.len() {
            different.push(format!("{name}: {} terms, swipl has {}", ours.len(), theirs.len()));
        }
        for (ours, theirs) in ours.iter().zip(&theirs) {
            // Dicts are rejected; these are the only terms that are not read.
            if ours != theirs && !(ours.starts_with("'SYNTAX'") && has_dict(theirs)) {
                different.push(format!("{name}:\n  swipl: {theirs}\n  ours:  {ours}"));
            }
        }
    }
    assert!(5_000 < n_terms);
    let shown = different.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(different.is_empty(), "{} of {n_terms} differ\n{shown}", different.len());
}

/// The files whose terms are not compared, and the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("pldoc/doc_man.pl", "quasi quotations are not read"),
    ("lynx/html_text.pl", "write_canonical/1 quotes a bullet there, writeq/1 does not"),
];

/// Returns all files of the library, including those of its subdirectories.
fn library_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut todo = vec![PathBuf::from(LIBRARY)];
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(dir).expect("SWI-Prolog is installed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|it| it == "pl")
                && !LEFT_OUT.iter().any(|it| path.ends_with(it.0))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Whether a text contains a dict, `Tag{...}`, or `.` between terms, which is a function on dicts.
fn has_dict(text: &str) -> bool {
    let tagged = |it: (char, char)| {
        (it.0.is_alphanumeric() || matches!(it.0, '_' | ')' | '#' | '\'')) && it.1 == '{'
    };
    text.chars().zip(text.chars().skip(1)).any(tagged)
}

const SCRIPT: &str = r"
:- initialization(main, main).
main(Files) :- nb_setval(n, 0), forall(member(F, Files), file(F)).
file(F) :-
    nb_getval(n, N), N1 is N + 1, nb_setval(n, N1), atom_concat(scratch, N1, M),
    set_prolog_flag(M:double_quotes, string),
    setup_call_cleanup(open(F, read, S, [encoding(utf8)]), ( script(S), terms(S, M) ), close(S)),
    format('~nEND~n').
terms(S, M) :-
    repeat,
    catch(read_term(S, T, [module(M), dotlists(false)]), error(syntax_error(_), _), T = 'SYNTAX'),
    (   T == end_of_file -> !
    ;   ops(T, M), \+ \+ show(T), fail
    ).
show(T) :-
    numbervars(T, 0, _),
    format('~nTERM ~q', [T]),
    format('~nCANON '), write_canonical(T).
script(S) :- ( peek_string(S, 2, T), string_codes(T, [0'#, 0'!]) -> skip(S, 10) ; true ).
% Operators of other modules would be seen by the files that come after.
ops((:- op(P, K, N)), M) :- !, ( own(N) -> catch(op(P, K, M:N), _, true) ; true ).
ops((:- module(_, L)), M) :- !, forall(( member(op(P, K, N), L), own(N) ), catch(op(P, K, M:N), _, true)).
ops(_, _).
own(N) :- ( atom(N) -> true ; is_list(N), forall(member(A, N), atom(A)) ).
";

fn swipl_terms(files: &[PathBuf]) -> Vec<Vec<String>> {
    let script = std::env::temp_dir().join(format!("gimlet-terms-{}.pl", std::process::id()));
    fs::write(&script, SCRIPT).expect("the script is written");
    let out = Command::new("swipl")
        .arg(&script)
        .arg("--")
        .args(files)
        .output()
        .expect("swipl is installed");
    fs::remove_file(&script).expect("the script can be removed");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let files = text.split("\nEND\n");
    let terms = |it: &str| it.split("\nTERM ").skip(1).map(str::to_owned).collect();
    files.map(terms).collect()
}

fn our_terms(file: &Path) -> Vec<String> {
    let mut machine = Machine::new(&mut NoLibrary);
    let text = fs::read(file).expect("the file is there");
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut reader = Reader::new(&text);
    let module = machine.atoms.intern("scratch");
    let syntax = Syntax { module, ..Syntax::default() };
    let mut res = Vec::new();
    loop {
        machine.heap = prolog::data::Heap::default();
        let Machine { heap, atoms, ops, .. } = &mut machine;
        let read = match reader.next_term(heap, atoms, ops, syntax) {
            Ok(None) => return res,
            Ok(Some(read)) => read.term,
            Err(_) => Value::atom(atoms.intern("SYNTAX")),
        };
        if machine.atoms.find("end_of_file").is_some_and(|it| read.is_atom(it)) {
            return res;
        }
        read_ops(&mut machine, read, module);
        let text = shown(&machine, read, module);
        check_round_trip(&mut machine, read, module);
        res.push(text);
    }
}

/// Returns a term's text; variables become `A`, `B` and so on, as `numbervars/3` numbers them.
fn shown(machine: &Machine, term: Value, module: prolog::data::AtomId) -> String {
    let mut names: FxHashMap<usize, String> = FxHashMap::default();
    let mut canonical = FxHashMap::default();
    for var in Walk::new(&machine.heap, &machine.atoms, term).filter(|it| it.is_var()) {
        let n = names.len();
        names.entry(var.address()).or_insert_with(|| {
            canonical.insert(var.address(), format!("'$VAR'({n})"));
            let letter = char::from(b'A' + u8::try_from(n % 26).expect("a letter"));
            if n < 26 { letter.to_string() } else { format!("{letter}{}", n / 26) }
        });
    }
    let write = |options: &WriteOptions| {
        write_term(&machine.heap, &machine.atoms, &machine.ops, options, term)
    };
    let _ = module;
    let quoted = write(&WriteOptions { names, ..WriteOptions::quoted() });
    let canonical = write(&WriteOptions {
        names: canonical,
        ..WriteOptions::canonical(&machine.heap, &machine.atoms, Value::NIL)
    });
    format!("{quoted}\nCANON {canonical}")
}

/// Checks that a term that is written and read again is the same.
fn check_round_trip(machine: &mut Machine, term: Value, module: prolog::data::AtomId) {
    let options = WriteOptions { numbervars: false, module, ..WriteOptions::quoted() };
    let text = write_term(&machine.heap, &machine.atoms, &machine.ops, &options, term);
    let whole = format!("{text} .");
    let mut reader = Reader::new(&whole);
    let Machine { heap, atoms, ops, .. } = machine;
    let syntax = Syntax { module, ..Syntax::default() };
    let again = reader.next_term(heap, atoms, ops, syntax);
    let again = match again {
        Ok(Some(again)) => again.term,
        other => panic!("{text}\n{other:?}"),
    };
    let number = |machine: &Machine, term: Value| {
        let mut names = FxHashMap::default();
        for var in Walk::new(&machine.heap, &machine.atoms, term).filter(|it| it.is_var()) {
            let n = names.len();
            names.entry(var.address()).or_insert_with(|| format!("V{n}"));
        }
        let options =
            WriteOptions { names, ignore_ops: true, numbervars: false, ..WriteOptions::quoted() };
        write_term(&machine.heap, &machine.atoms, &machine.ops, &options, term)
    };
    assert_eq!(number(machine, term), number(machine, again), "{text}");
}

fn read_ops(machine: &mut Machine, term: Value, module: prolog::data::AtomId) {
    if !term.is_struct(FunctorId::DIRECTIVE) {
        return;
    }
    let goal = machine.heap.arg(term, 0);
    let mut found = vec![goal];
    if goal.is_struct(FunctorId::MODULE_2) {
        found = machine.heap.list_items(machine.heap.arg(goal, 1)).0;
    }
    for item in found {
        let Some((name, 3)) = machine.heap.name_arity(item, &machine.atoms) else { continue };
        if machine.atoms.text(name) != "op" {
            continue;
        }
        let arg = |n: usize| machine.heap.arg(item, n);
        let priority = arg(0).as_int().and_then(|it| u16::try_from(it).ok());
        let kind = arg(1).as_atom().and_then(|it| OpType::from_name(machine.atoms.text(it)));
        let (Some(priority), Some(kind)) = (priority, kind) else { continue };
        let names = arg(2);
        let names = if names.is_cons() { machine.heap.list_items(names).0 } else { vec![names] };
        for name in names.into_iter().filter_map(Value::as_atom) {
            machine.ops.add(module, name, Op { priority, kind });
        }
    }
}
