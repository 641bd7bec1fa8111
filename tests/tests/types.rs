//! Types of specs, read by the real compiler: which terms belong, against a table made by hand.

use beam::{Otp, Settings, Source};
use specs::{Signature, Specs};
use std::fmt::Write;
use std::{env, fs, process};
use term::{Atom, Kind, Term, read_term};

/// Declarations that the rows use.
const DECLARATIONS: &str = "
-record(plain, {a, b = 1}).
-record(typed, {a :: integer(), b = x :: atom(), c = []}).
-record(node, {left :: #node{} | nil, right :: #node{} | nil}).
-record(wrap, {in :: node_or_leaf()}).
-type node_or_leaf() :: #wrap{} | leaf.
-type pair(A, B) :: {A, B}.
-type chain(A) :: nil | {A, chain(A)}.
-opaque secret() :: {secret, integer()}.
-type l() :: [{l(), t()} | integer()].
-type t() :: {[t()], [t()]}.
-type tree() :: nil | {integer(), tree(), tree()}.
-type growing(A) :: leaf | {A, growing({A})}.
-type loop() :: loop() | x.
-type left() :: right() | a.
-type right() :: left() | b.
-type empty() :: {empty()}.
-type json() :: null | boolean() | number() | binary() | [json()] | #{binary() => json()}.
-type day() :: 1..7.
";

/// A type, terms that belong to it, terms that do not.
const ROWS: &[(&str, &[&str], &[&str])] = &[
    ("any()", &["1", "a", "[]", "{}", "#{}", "<<1>>"], &[]),
    ("term()", &["1.0"], &[]),
    ("_", &["1.0"], &[]),
    ("none()", &[], &["a", "1", "[]"]),
    ("no_return()", &[], &["a"]),
    ("a", &["a"], &["b", "\"a\"", "1"]),
    ("'A b'", &["'A b'"], &["a"]),
    ("1", &["1"], &["1.0", "2", "a"]),
    ("-1", &["-1"], &["1", "- 2"]),
    ("$a", &["97"], &["a", "98"]),
    ("1 bsl 70", &["1180591620717411303424"], &["0", "1180591620717411303425"]),
    ("-7 div 2", &["-3"], &["-4"]),
    ("-7 rem 4", &["-3"], &["1"]),
    ("-7 bsr 1", &["-4"], &["-3"]),
    ("bnot 5 bor 1", &["-5"], &["-6"]),
    ("(1 + 2) * 3 - 1", &["8"], &["6"]),
    ("6 band 12 bxor 1", &["5"], &["4"]),
    ("1..3", &["1", "2", "3"], &["0", "4", "2.0", "a"]),
    ("-3..-1", &["-3", "-1"], &["0", "-4"]),
    ("$a..$z", &["97", "122"], &["96", "123"]),
    ("-(1 bsl 4)..(1 bsl 4) - 1", &["-16", "15"], &["16", "-17"]),
    ("a | 1 | []", &["a", "1", "[]"], &["b", "2", "[1]"]),
    ("[]", &["[]"], &["[1]", "a"]),
    ("nil()", &["[]"], &["[1]", "nil"]),
    ("[integer()]", &["[]", "[1]", "[1,2]"], &["[a]", "[1|2]", "a", "[1|a]", "[1,[2]]"]),
    ("list()", &["[]", "[a,1]"], &["[a|1]", "{}", "<<>>"]),
    ("list(atom())", &["[]", "[a]"], &["[1]"]),
    ("[integer(), ...]", &["[1]", "[1,2]"], &["[]", "[a]", "[1|2]"]),
    ("nonempty_list()", &["[1]"], &["[]", "[1|2]"]),
    ("nonempty_list(a)", &["[a]"], &["[]", "[b]"]),
    ("maybe_improper_list()", &["[]", "[1]", "[1|2]"], &["1", "{}"]),
    (
        "maybe_improper_list(integer(), atom())",
        &["[]", "[1]", "[1|a]", "[1,2|a]"],
        &["a", "[a]", "[1|2]", "[a|a]"],
    ),
    ("nonempty_improper_list(integer(), atom())", &["[1|a]", "[1,2|a]"], &["[]", "[1]", "a"]),
    ("nonempty_maybe_improper_list()", &["[1]", "[1|2]"], &["[]", "1"]),
    ("nonempty_maybe_improper_list(integer(), b)", &["[1]", "[1|b]"], &["[]", "[1|c]", "b"]),
    ("string()", &["[]", "\"ab\"", "[1114111]"], &["[1114112]", "[-1]", "[a]", "<<>>"]),
    ("nonempty_string()", &["\"a\""], &["[]"]),
    ("tuple()", &["{}", "{1}", "{1,2}"], &["[]", "1"]),
    ("{}", &["{}"], &["{1}", "[]"]),
    ("{a, integer()}", &["{a,1}"], &["{a,b}", "{a}", "{a,1,2}", "[a,1]", "{b,1}"]),
    ("#plain{}", &["{plain,1,2}", "{plain,a,[]}"], &["{plain,1}", "{plain,1,2,3}", "{other,1,2}"]),
    ("#typed{}", &["{typed,1,x,{}}"], &["{typed,a,x,[]}", "{typed,1,2,[]}", "{typed,1,x}"]),
    ("#typed{a :: 5, c :: [a]}", &["{typed,5,x,[a]}"], &["{typed,4,x,[a]}", "{typed,5,x,[b]}"]),
    (
        "#node{}",
        &["{node,nil,nil}", "{node,{node,nil,nil},nil}"],
        &["nil", "{node,nil,x}", "{node,{node,nil},nil}"],
    ),
    ("#wrap{}", &["{wrap,leaf}", "{wrap,{wrap,{wrap,leaf}}}"], &["leaf", "{wrap,{wrap,x}}"]),
    ("map()", &["#{}", "#{1=>2}"], &["[]", "{}"]),
    ("#{}", &["#{}"], &["#{a=>1}", "{}"]),
    (
        "#{a := integer(), b => atom()}",
        &["#{a=>1}", "#{a=>1,b=>x}"],
        &["#{}", "#{b=>x}", "#{a=>x}", "#{a=>1,b=>1}", "#{a=>1,c=>1}"],
    ),
    ("#{atom() => integer()}", &["#{}", "#{a=>1,b=>2}"], &["#{a=>b}", "#{1=>1}"]),
    ("#{atom() := integer()}", &["#{a=>1}", "#{a=>1,b=>2}"], &["#{}", "#{a=>b}"]),
    (
        "#{a := 1, atom() := 2, any() => 3}",
        &["#{a=>1,b=>2}", "#{a=>1,b=>2,5=>3}"],
        &["#{a=>1}", "#{a=>2,b=>2}", "#{a=>1,b=>3}", "#{a=>1,b=>2,5=>2}"],
    ),
    ("<<>>", &["<<>>"], &["<<1>>"]),
    ("<<_:16>>", &["<<1,2>>"], &["<<1>>", "<<1,2,3>>"]),
    ("<<_:_*8>>", &["<<>>", "<<1,2>>"], &["<<1:1>>"]),
    ("<<_:4, _:_*3>>", &["<<1:4>>", "<<1:7>>", "<<1:10>>"], &["<<>>", "<<1:5>>", "<<1:3>>"]),
    ("binary()", &["<<>>", "<<1>>"], &["<<1:3>>", "[]"]),
    ("bitstring()", &["<<>>", "<<1:3>>"], &["[]"]),
    ("nonempty_binary()", &["<<1>>", "<<1,2>>"], &["<<>>", "<<1:3>>", "<<1:9>>"]),
    ("nonempty_bitstring()", &["<<1>>", "<<1:1>>"], &["<<>>"]),
    ("fun()", &["fun lists:map/2", "fun a:b/0"], &["a", "{lists,map,2}"]),
    ("function()", &["fun lists:map/2"], &["a"]),
    ("fun((...) -> ok)", &["fun lists:map/2", "fun a:b/0"], &["ok"]),
    ("fun(() -> ok)", &["fun a:b/0"], &["fun a:b/1"]),
    ("fun((integer(), atom()) -> ok)", &["fun a:b/2"], &["fun a:b/0", "fun a:b/1"]),
    ("atom()", &["a", "true", "''"], &["1", "[]", "<<\"a\">>"]),
    ("module()", &["a"], &["1"]),
    ("node()", &["nonode@nohost"], &["1"]),
    ("mfa()", &["{m,f,0}", "{m,f,255}"], &["{m,f,256}", "{m,f,-1}", "{m,f}"]),
    ("boolean()", &["true", "false"], &["a", "0"]),
    ("byte()", &["0", "255"], &["-1", "256"]),
    ("arity()", &["0", "255"], &["256"]),
    ("char()", &["0", "1114111"], &["1114112", "-1", "a"]),
    ("number()", &["1", "1.5", "100000000000000000000"], &["a"]),
    ("integer()", &["-100000000000000000000", "0"], &["1.0"]),
    ("pos_integer()", &["1", "100000000000000000000"], &["0", "-1", "1.0"]),
    ("non_neg_integer()", &["0", "1"], &["-1"]),
    ("neg_integer()", &["-1", "-100000000000000000000"], &["0", "1"]),
    ("float()", &["1.0"], &["1"]),
    ("timeout()", &["infinity", "0", "5"], &["-1", "never"]),
    ("identifier()", &["pid", "port", "reference"], &["a"]),
    ("pid()", &["pid"], &["port", "reference", "a"]),
    ("port()", &["port"], &["pid"]),
    ("reference()", &["reference"], &["pid"]),
    (
        "iolist()",
        &["[]", "[1]", "[<<1>>]", "[[1,[<<>>]]|<<1>>]", "[[[[]]]]"],
        &["<<>>", "[a]", "[256]", "[1|2]", "[<<1:1>>]", "1"],
    ),
    ("iodata()", &["<<>>", "[1|<<>>]"], &["<<1:1>>", "a", "1"]),
    ("X :: integer()", &["1"], &["a"]),
    ("(a | (b))", &["a", "b"], &["c"]),
    ("pair(a, integer())", &["{a,1}"], &["{b,1}", "{a,a}"]),
    ("pair(pair(a, b), _)", &["{{a,b},1}"], &["{{b,b},1}"]),
    ("chain(integer())", &["nil", "{1,{2,nil}}"], &["{a,nil}", "{1,{a,nil}}", "{1,x}"]),
    ("secret()", &["{secret,1}"], &["{secret,a}", "secret"]),
    (
        "l()",
        &["[]", "[1]", "[1,{[2],{[],[]}}]", "[{[],{[{[],[]}],[]}}]"],
        &["[a]", "[{[a],{[],[]}}]", "{[],[]}", "[{[],{[1],[]}}]"],
    ),
    ("t()", &["{[],[]}", "{[{[],[]}],[]}"], &["{[1],[]}", "{[]}", "[]"]),
    ("tree()", &["nil", "{1,nil,{2,nil,nil}}"], &["{a,nil,nil}", "{1,nil,{2,nil}}", "[]"]),
    ("growing(a)", &["leaf", "{a,leaf}", "{a,{{a},leaf}}"], &["{b,leaf}", "{a,{a,leaf}}"]),
    ("loop()", &["x"], &["y"]),
    ("left()", &["a", "b"], &["c"]),
    ("right()", &["a", "b"], &["c"]),
    ("empty()", &[], &["{}", "{{}}", "{a}"]),
    ("[empty()]", &["[]"], &["[{}]"]),
    (
        "json()",
        &["null", "[1,true,<<\"x\">>]", "#{<<\"k\">>=>[#{}]}"],
        &["nil", "#{k=>1}", "[[a]]"],
    ),
    ("day()", &["1", "7"], &["0", "8"]),
    ("orddict:orddict(atom(), integer())", &["[]", "[{a,1}]"], &["[{1,1}]", "[a]"]),
    ("calendar:date()", &["{2024,2,31}"], &["{2024,13,1}", "{-1,1,1}"]),
    ("gb_trees:tree(a, 1)", &["{0,nil}", "{1,{a,1,nil,nil}}"], &["{1,{b,1,nil,nil}}", "nil"]),
    ("unicode:chardata()", &["[]", "<<1>>", "[1114111|<<>>]"], &["1", "[a]"]),
    ("'Elixir.String':t()", &["<<>>"], &["a"]),
    ("'Elixir.Keyword':t(integer())", &["[{a,1}]", "[]"], &["[{a,b}]", "[{1,1}]"]),
];

#[test]
fn terms_belong_to_types_as_the_table_says() {
    let mut source = String::from("-module(gimlet_types).\n-compile(export_all).\n");
    source.push_str(DECLARATIONS);
    for (n, (of, ..)) in ROWS.iter().enumerate() {
        writeln!(source, "-type row{n}() :: {of}.\n-spec f{n}(row{n}()) -> row{n}().")
            .expect("text");
        writeln!(source, "f{n}(X) -> X.").expect("text");
    }
    let mut module = Module::compile("gimlet_types", &source);
    let mut wrong = Vec::new();
    for (n, (of, members, others)) in ROWS.iter().enumerate() {
        let signature = module.signature(&format!("f{n}"), 1);
        let cuts = usize::from(of.starts_with("growing"));
        assert_eq!(signature.gaps.len(), cuts, "{of}: {:?}", signature.gaps);
        let rows = members.iter().map(|it| (it, true)).chain(others.iter().map(|it| (it, false)));
        for (text, belongs) in rows {
            if signature.allows(&[term(text)]) != belongs {
                wrong.push(format!("{text} in {of}: {}", !belongs));
            }
        }
        let smallest = signature.first_input();
        assert_eq!(smallest.is_some(), !members.is_empty(), "a member of {of}");
        if let Some(smallest) = smallest {
            assert!(signature.allows(&smallest), "{smallest:?} in {of}");
            assert_eq!(signature.breach(&smallest, &smallest[0]), None, "{smallest:?} from {of}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A module made of text.
struct Module {
    host: Otp,
    name: Atom,
    specs: Specs,
}

impl Module {
    fn compile(name: &str, source: &str) -> Module {
        let dir = env::temp_dir().join(format!("gimlet-types-{}", process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let path = dir.join(format!("{name}.erl"));
        fs::write(&path, source).expect("a file");
        let mut host = host();
        host.add_source(Atom::new(name), Source::Erl(path));
        Module { host, name: Atom::new(name), specs: Specs::default() }
    }

    fn signature(&mut self, function: &str, arity: usize) -> Signature {
        let function = Atom::new(function);
        let found = self.specs.signature(&mut self.host, &self.name, &function, arity);
        found.expect("it compiles").unwrap_or_else(|| panic!("{function:?}/{arity} has a spec"))
    }
}

fn host() -> Otp {
    let cache_dir = Some(env::temp_dir().join("gimlet-conformance-cache"));
    Otp::new(Settings { cache_dir, ..Settings::default() }).expect("OTP is installed")
}

/// A term; words stand for what can't be written.
fn term(text: &str) -> Term {
    match text {
        "pid" => Kind::Pid.smallest(),
        "port" => Kind::Port.smallest(),
        "reference" => Kind::Reference.smallest(),
        _ => read_term(text).unwrap_or_else(|it| panic!("{text}: {it:?}")),
    }
}
