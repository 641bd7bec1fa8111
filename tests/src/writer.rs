//! Generates random Erlang functions: well-formed, terminating, and so loosely typed that some fail.
//!
//! A function calls only functions after it, or itself on the tail of a list, so all calls terminate.

use crate::Random;
use crate::tree::{Tree, text};

/// The intended type of an expression. Sometimes an expression of another type is generated on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int,
    Float,
    Atom,
    Bool,
    List,
    Tuple,
    Map,
    Bits,
    Fun,
}

const KINDS: [Kind; 9] = [
    Kind::Int,
    Kind::Float,
    Kind::Atom,
    Kind::Bool,
    Kind::List,
    Kind::Tuple,
    Kind::Map,
    Kind::Bits,
    Kind::Fun,
];

const N_FUNCTIONS: usize = 4;

/// Generates the functions of a module: `f0/2` and following, and `id/1`, which uses its argument. Without
/// that use, the compiler of OTP 25 removes an update of a map whose result is not used, even if it would
/// fail.
pub fn functions(random: &mut Random) -> Tree {
    let items = (0..N_FUNCTIONS).map(|it| Writer::new(random, it).function()).collect();
    let items = Tree::Items { separator: "\n", least: 1, items };
    Tree::Fixed(vec![text("id(X) -> X.\n"), items])
}

/// Returns a module with these functions, all of which are exported.
pub fn module_source(module: &str, functions: &Tree) -> String {
    format!(
        "-module({module}).\n-compile(export_all).\n-compile(nowarn_export_all).\n{functions}\n"
    )
}

/// Generates a term in Erlang syntax, for an argument.
pub fn argument(random: &mut Random) -> String {
    let kind = *random.pick(&KINDS[..8]);
    let mut writer = Writer::new(random, N_FUNCTIONS);
    writer.literal(kind, 2).to_string()
}

struct Writer<'r> {
    random: &'r mut Random,
    function: usize,
    vars: Vec<(String, Kind)>,
    n_vars: usize,
}

impl<'r> Writer<'r> {
    fn new(random: &'r mut Random, function: usize) -> Writer<'r> {
        Writer { random, function, vars: Vec::new(), n_vars: 0 }
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.random.below(100) < percent
    }

    fn count(&mut self, most: u64) -> usize {
        usize::try_from(self.random.below(most + 1)).unwrap_or(0)
    }

    fn kind(&mut self) -> Kind {
        *self.random.pick(&KINDS)
    }

    fn function(&mut self) -> Tree {
        let name = format!("f{}", self.function);
        if self.chance(25) {
            return self.loop_over_list(&name);
        }
        let n_clauses = 1 + self.count(2);
        let mut clauses: Vec<Tree> =
            (0..n_clauses).map(|_| self.function_clause(&name, 2)).collect();
        if self.chance(80) {
            self.vars.clear();
            let params = [self.bind(Kind::Int), self.bind(Kind::List)];
            let body = self.body(Kind::Int, 3);
            clauses
                .push(Tree::Fixed(vec![text(format!("{name}({}) -> ", params.join(", "))), body]));
        }
        let clauses = Tree::Items { separator: ";\n", least: 1, items: clauses };
        Tree::Fixed(vec![clauses, text(".")])
    }

    fn loop_over_list(&mut self, name: &str) -> Tree {
        self.vars.clear();
        let (head, tail) = (self.bind(Kind::Int), self.bind(Kind::List));
        let state = self.bind(Kind::Int);
        let next = self.any_expr(3);
        let then = Tree::Fixed(vec![
            text(format!("{name}([{head} | {tail}], {state}) -> {name}({tail}, ")),
            next,
            text(")"),
        ]);
        self.vars.clear();
        let (rest, state) = (self.bind(Kind::List), self.bind(Kind::Int));
        let body = self.body(Kind::Tuple, 2);
        let end = Tree::Fixed(vec![text(format!("{name}({rest}, {state}) -> ")), body]);
        let clauses = Tree::Items { separator: ";\n", least: 1, items: vec![then, end] };
        Tree::Fixed(vec![clauses, text(".")])
    }

    fn function_clause(&mut self, name: &str, arity: usize) -> Tree {
        self.vars.clear();
        let patterns: Vec<Tree> = (0..arity)
            .map(|_| {
                let kind = self.kind();
                self.pattern(kind, 2)
            })
            .collect();
        let guard = self.guard_part();
        let kind = self.kind();
        let body = self.body(kind, 4);
        let mut parts = vec![text(format!("{name}("))];
        parts.extend(joined(", ", patterns));
        parts.extend([text(")"), guard, text(" -> "), body]);
        Tree::Fixed(parts)
    }

    fn bind(&mut self, kind: Kind) -> String {
        self.n_vars += 1;
        let name = format!("V{}", self.n_vars);
        self.vars.push((name.clone(), kind));
        name
    }

    /// Generates a sequence of expressions, the last of which has this type.
    fn body(&mut self, kind: Kind, depth: u32) -> Tree {
        let mut items = Vec::new();
        for _ in 0..self.count(2) {
            let value_kind = self.kind();
            let value = self.expr(value_kind, depth.saturating_sub(1));
            if self.chance(15) {
                let pattern = self.pattern(value_kind, 1);
                items.push(Tree::Fixed(vec![pattern, text(" = "), value]));
            } else {
                let var = self.bind(value_kind);
                items.push(Tree::Fixed(vec![text(format!("{var} = ")), value]));
            }
        }
        items.push(self.expr(kind, depth));
        Tree::Items { separator: ", ", least: 1, items }
    }

    /// Generates code in a scope of its own: the variables bound in it are not visible afterwards.
    fn scoped(&mut self, write: impl FnOnce(&mut Self) -> Tree) -> Tree {
        let n_vars = self.vars.len();
        let tree = write(self);
        self.vars.truncate(n_vars);
        tree
    }

    fn any_expr(&mut self, depth: u32) -> Tree {
        let kind = self.kind();
        self.expr(kind, depth)
    }

    fn expr(&mut self, kind: Kind, depth: u32) -> Tree {
        let kind = if self.chance(6) { self.kind() } else { kind };
        if self.chance(25) || depth == 0 {
            let vars: Vec<String> =
                self.vars.iter().filter(|it| it.1 == kind).map(|it| it.0.clone()).collect();
            if !vars.is_empty() && self.chance(80) {
                return expr([text(self.random.pick(&vars).as_str())]);
            }
            return self.literal(kind, 1);
        }
        let depth = depth - 1;
        if self.chance(35) {
            return self.control(kind, depth);
        }
        if matches!(kind, Kind::List | Kind::Bits) && self.chance(20) {
            return self.comprehension(kind, depth);
        }
        match kind {
            Kind::Int => self.int(depth),
            Kind::Float => self.form(
                depth,
                &["(F + F)", "(F * I)", "(I / I)", "(F - F)", "float(I)", "abs(F)", "-F"],
            ),
            Kind::Atom => {
                self.form(depth, &["element(1, {A, I})", "hd([A, I])", "map_get(a, #{a => A})"])
            }
            Kind::Bool => self.form(
                depth,
                &[
                    "(I < I)",
                    "(X =:= X)",
                    "(X == X)",
                    "(F >= I)",
                    "(X =/= X)",
                    "(X =< X)",
                    "(B and B)",
                    "(B or B)",
                    "(B xor B)",
                    "not B",
                    "(B andalso B)",
                    "(B orelse B)",
                    "is_list(X)",
                    "is_map(X)",
                    "is_integer(X)",
                    "is_function(U, 1)",
                    "is_map_key(A, M)",
                    "is_binary(S)",
                    "lists:member(X, L)",
                    "is_atom(X)",
                ],
            ),
            Kind::List => self.form(
                depth,
                &[
                    "[X, X]",
                    "[X | L]",
                    "(L ++ L)",
                    "(L -- L)",
                    "tl(L)",
                    "lists:reverse(L)",
                    "lists:seq(1, I band 7)",
                    "tuple_to_list(T)",
                    "binary_to_list(S)",
                    "maps:keys(M)",
                    "lists:map(U, L)",
                    "lists:filter(fun(_) -> B end, L)",
                    "lists:sort(L)",
                    "maps:to_list(M)",
                    "bitstring_to_list(S)",
                ],
            ),
            Kind::Tuple => self.form(
                depth,
                &[
                    "{X}",
                    "{X, X}",
                    "{A, I, L}",
                    "setelement(1, T, X)",
                    "list_to_tuple(L)",
                    "{X, T}",
                ],
            ),
            Kind::Map => self.form(
                depth,
                &[
                    "#{X => X}",
                    "#{A => X, A => X}",
                    "id(M#{X => X})",
                    "id(M#{a := X})",
                    "maps:put(X, X, M)",
                    "maps:merge(M, M)",
                    "maps:remove(A, M)",
                    "id(M#{A => I, b => F})",
                    "maps:from_list([{X, X}])",
                ],
            ),
            Kind::Bits => self.form(
                depth,
                &[
                    "<<I, I>>",
                    "<<I:5, S/bits>>",
                    "<<S/binary, I:16/little>>",
                    "<<F/float>>",
                    "<<I:(I band 31)>>",
                    "<<(I band 127)/utf8, 1>>",
                    "<<S/bits, S/bits>>",
                    "list_to_binary(L)",
                    "<<I:12/signed-little, 3:4>>",
                    "term_to_binary(I)",
                    "<<\"ab\", I:8>>",
                ],
            ),
            Kind::Fun => self.fun(depth),
        }
    }

    fn int(&mut self, depth: u32) -> Tree {
        if self.chance(15) && self.function + 1 < N_FUNCTIONS {
            let at = self.function + 1 + self.count((N_FUNCTIONS - self.function - 2) as u64);
            return self.form(depth, &[format!("f{at}(X, X)").as_str()]);
        }
        self.form(
            depth,
            &[
                "(I + I)",
                "(I - I)",
                "(I * I)",
                "(I div I)",
                "(I rem I)",
                "(I band I)",
                "(I bor I)",
                "(I bxor I)",
                "(I bsl (I band 70))",
                "(I bsr (I band 15))",
                "bnot I",
                "-I",
                "length(L)",
                "tuple_size(T)",
                "byte_size(S)",
                "map_size(M)",
                "hd(L)",
                "element(2, T)",
                "abs(I)",
                "trunc(F)",
                "round(F)",
                "U(X)",
                "lists:sum(L)",
                "maps:get(A, M, I)",
                "(I + 1)",
                "(I - 1)",
                "bit_size(S)",
                "lists:foldl(fun(_, Z) -> Z end, I, L)",
                "maps:get(X, M)",
            ],
        )
    }

    /// Expands one of the forms at random. Each capital letter in it stands for an expression of a type: Int,
    /// Float, Atom, Bool, List, Tuple, Map, bit String, fUn, or X for any type.
    fn form(&mut self, depth: u32, forms: &[&str]) -> Tree {
        let form = *self.random.pick(forms);
        let mut parts = Vec::new();
        let mut quoted = false;
        for letter in form.chars() {
            quoted ^= letter == '"';
            let kind = match letter {
                'I' => Some(Kind::Int),
                'F' => Some(Kind::Float),
                'A' => Some(Kind::Atom),
                'B' => Some(Kind::Bool),
                'L' => Some(Kind::List),
                'T' => Some(Kind::Tuple),
                'M' => Some(Kind::Map),
                'S' => Some(Kind::Bits),
                'U' => Some(Kind::Fun),
                'X' => Some(self.kind()),
                _ => None,
            };
            match kind.filter(|_| !quoted) {
                Some(kind) => {
                    let inner = self.scoped(|it| it.expr(kind, depth));
                    parts.extend([text("("), inner, text(")")]);
                }
                None => parts.push(text(letter)),
            }
        }
        Tree::Expr(parts)
    }

    /// Generates a comprehension of lists or bitstrings.
    fn comprehension(&mut self, kind: Kind, depth: u32) -> Tree {
        self.scoped(|it| {
            let mut qualifiers = Vec::new();
            for _ in 0..=it.count(1) {
                let bits = it.chance(30);
                let source = it.expr(if bits { Kind::Bits } else { Kind::List }, depth);
                let generator = if bits {
                    let var = it.bind(Kind::Int);
                    let size = *it.random.pick(&["", ":4", ":16/little", "/signed", ":3"]);
                    vec![text(format!("<<{var}{size}>> <= (")), source, text(")")]
                } else {
                    let pattern = it.pattern(Kind::Int, 1);
                    vec![pattern, text(" <- ("), source, text(")")]
                };
                qualifiers.push(Tree::Fixed(generator));
            }
            if it.chance(40) {
                qualifiers.push(it.guard_expr(2));
            }
            let (open, body, close) = if kind == Kind::Bits {
                let size = *it.random.pick(&["", ":4", ":16/little", ":3"]);
                let value = it.expr(Kind::Int, depth);
                let parts = vec![text("<<("), value, text(format!("){size}>>"))];
                ("<< ", Tree::Fixed(parts), " >>")
            } else {
                ("[", it.any_expr(depth), "]")
            };
            let qualifiers = Tree::Items { separator: ", ", least: 1, items: qualifiers };
            expr([text(open), body, text(" || "), qualifiers, text(close)])
        })
    }

    fn fun(&mut self, depth: u32) -> Tree {
        if self.chance(15) {
            let names = ["fun erlang:abs/1", "fun erlang:is_atom/1", "fun lists:reverse/1"];
            return expr([text(*self.random.pick(&names))]);
        }
        let clauses = (0..=self.count(1))
            .map(|_| {
                self.scoped(|it| {
                    let kind = it.kind();
                    let pattern = it.pattern(kind, 1);
                    let guard = it.guard_part();
                    let body = it.body(Kind::Int, depth);
                    Tree::Fixed(vec![text("("), pattern, text(")"), guard, text(" -> "), body])
                })
            })
            .collect();
        let clauses = Tree::Items { separator: "; ", least: 1, items: clauses };
        expr([text("fun"), clauses, text(" end")])
    }

    fn control(&mut self, kind: Kind, depth: u32) -> Tree {
        match self.random.below(7) {
            0 | 1 => {
                let subject_kind = self.kind();
                let subject = self.scoped(|it| it.expr(subject_kind, depth));
                let clauses = self.clauses(subject_kind, kind, depth);
                expr([text("case "), subject, text(" of "), clauses, text(" end")])
            }
            2 => {
                let mut items: Vec<Tree> = (0..=self.count(1))
                    .map(|_| {
                        let guard = self.guard_expr(2);
                        let body = self.scoped(|it| it.body(kind, depth));
                        Tree::Fixed(vec![guard, text(" -> "), body])
                    })
                    .collect();
                if self.chance(80) {
                    let body = self.scoped(|it| it.body(kind, depth));
                    items.push(Tree::Fixed(vec![text("true -> "), body]));
                }
                expr([text("if "), Tree::Items { separator: "; ", least: 1, items }, text(" end")])
            }
            3 => self.try_of(kind, depth),
            4 => {
                let body = self.scoped(|it| it.body(kind, depth));
                expr([text("begin "), body, text(" end")])
            }
            5 => {
                let value = self.scoped(|it| it.expr(kind, depth));
                let var = self.bind(kind);
                self.vars.pop();
                expr([
                    text("case catch "),
                    value,
                    text(format!(
                        " of {{'EXIT', {{{var}, [_ | _]}}}} -> {{exit, {var}}}; {var} -> {var} end"
                    )),
                ])
            }
            _ => {
                let message_kind = self.kind();
                let message = self.scoped(|it| it.expr(message_kind, depth));
                let clauses = self.clauses(message_kind, kind, depth);
                let timeout = self.scoped(|it| it.body(kind, depth));
                expr([
                    text("begin self() ! ("),
                    message,
                    text("), receive "),
                    clauses,
                    text(" after 0 -> "),
                    timeout,
                    text(" end end"),
                ])
            }
        }
    }

    fn try_of(&mut self, kind: Kind, depth: u32) -> Tree {
        let body_kind = self.kind();
        let body = self.scoped(|it| it.body(body_kind, depth));
        let mut parts = vec![text("try "), body];
        if self.chance(40) {
            let clauses = self.clauses(body_kind, kind, depth);
            parts.extend([text(" of "), clauses]);
        }
        let class = *self.random.pick(&["_", "error", "throw", "exit"]);
        let handler = self.scoped(|it| {
            let reason = it.bind(Kind::Atom);
            let handler = it.body(kind, depth);
            Tree::Fixed(vec![text(format!(" catch {class}:{reason} -> ")), handler])
        });
        let raised = self.scoped(|it| {
            let value = it.any_expr(depth);
            let raise = *it.random.pick(&["throw", "error", "exit"]);
            expr([text(format!("{raise}(")), value, text(")")])
        });
        if self.chance(30) {
            parts = vec![text("try "), raised];
        }
        parts.push(handler);
        if self.chance(25) {
            let after = self.scoped(|it| it.body(Kind::Int, 1));
            parts.extend([text(" after "), after]);
        }
        parts.push(text(" end"));
        Tree::Expr(parts)
    }

    fn clauses(&mut self, subject: Kind, kind: Kind, depth: u32) -> Tree {
        let mut items: Vec<Tree> = (0..=self.count(2))
            .map(|_| {
                self.scoped(|it| {
                    let subject = if it.chance(70) { subject } else { it.kind() };
                    let pattern = it.pattern(subject, 2);
                    let guard = it.guard_part();
                    let body = it.body(kind, depth);
                    Tree::Fixed(vec![pattern, guard, text(" -> "), body])
                })
            })
            .collect();
        if self.chance(75) {
            items.push(self.scoped(|it| {
                let var = it.bind(subject);
                let body = it.body(kind, depth);
                Tree::Fixed(vec![text(format!("{var} -> ")), body])
            }));
        }
        Tree::Items { separator: "; ", least: 1, items }
    }

    fn guard_part(&mut self) -> Tree {
        if self.chance(65) {
            return text("");
        }
        let items = (0..=self.count(1))
            .map(|_| {
                let items = (0..=self.count(1)).map(|_| self.guard_expr(2)).collect();
                Tree::Items { separator: ", ", least: 1, items }
            })
            .collect();
        Tree::Fixed(vec![text(" when "), Tree::Items { separator: "; ", least: 1, items }])
    }

    fn guard_expr(&mut self, depth: u32) -> Tree {
        if depth > 0 && self.chance(30) {
            let op = *self.random.pick(&["and", "or", "andalso", "orelse", "xor"]);
            let (left, right) = (self.guard_expr(depth - 1), self.guard_expr(depth - 1));
            return expr([text("(("), left, text(format!(") {op} (")), right, text("))")]);
        }
        let form = *self.random.pick(&[
            "V > V",
            "V =:= V",
            "V == V",
            "is_integer(V)",
            "is_list(V)",
            "is_map(V)",
            "is_atom(V)",
            "hd(V) =:= V",
            "length(V) > 1",
            "element(1, V) =:= V",
            "map_get(a, V) =:= V",
            "V + 1 > V",
            "is_tuple(V)",
            "byte_size(V) > 1",
            "not is_list(V)",
            "V",
            "tuple_size(V) < 3",
            "V band 1 =:= 0",
            "is_function(V, 1)",
            "is_map_key(V, V)",
            "V / 2 < V",
            "is_float(V)",
            "is_binary(V)",
        ]);
        let mut res = Vec::new();
        for letter in form.chars() {
            if letter != 'V' {
                res.push(text(letter));
                continue;
            }
            let vars: Vec<String> = self.vars.iter().map(|it| it.0.clone()).collect();
            if vars.is_empty() || self.chance(20) {
                let kind = self.kind();
                let kind = if kind == Kind::Fun { Kind::Int } else { kind };
                res.push(self.literal(kind, 0));
            } else {
                res.push(expr([text(self.random.pick(&vars).as_str())]));
            }
        }
        Tree::Expr(res)
    }

    fn pattern(&mut self, kind: Kind, depth: u32) -> Tree {
        let kind = if kind == Kind::Fun { Kind::Int } else { kind };
        if depth == 0 || self.chance(35) {
            return match self.random.below(10) {
                0 => text("_"),
                1 | 2 if kind == Kind::Map => text("#{}"),
                1 | 2 => self.literal(kind, 0),
                3 if !self.vars.is_empty() => {
                    let vars = self.vars.clone();
                    text(self.random.pick(&vars).0.as_str())
                }
                _ => text(self.bind(kind)),
            };
        }
        if self.chance(10) {
            let inner = self.pattern(kind, depth - 1);
            let var = self.bind(kind);
            return Tree::Fixed(vec![inner, text(format!(" = {var}"))]);
        }
        let inner = |it: &mut Self| {
            let kind = it.kind();
            it.pattern(kind, depth - 1)
        };
        match kind {
            Kind::List => {
                let forms = ["[P, P]", "[P | P]", "[P]", "[P, P | P]", "[]", "\"ab\" ++ P"];
                self.pattern_form(&forms, inner)
            }
            Kind::Tuple => {
                self.pattern_form(&["{P}", "{P, P}", "{a, P}", "{P, P, P}", "{}"], inner)
            }
            Kind::Map => {
                let forms = ["#{a := P}", "#{}", "#{a := P, b := P}", "#{1 := P}", "#{{a} := P}"];
                self.pattern_form(&forms, inner)
            }
            Kind::Bits => {
                let (a, b) = (self.bind(Kind::Int), self.bind(Kind::Bits));
                let forms = [
                    format!("<<{a}, {b}/bits>>"),
                    format!("<<{a}:4, {b}/bits>>"),
                    format!("<<{a}:16/little-signed, {b}/binary>>"),
                    format!("<<{a}:3, _:({a} + 1), {b}/bits>>"),
                    format!("<<{a}/utf8, {b}/binary>>"),
                    format!("<<\"ab\", {a}, {b}/binary>>"),
                    format!("<<{a}:2/unit:4, 1:1, {b}/bits>>"),
                    format!("<<{a}/float, {b}/bits>>"),
                    format!("<<{a}, {b}:{a}/bits, _/bits>>"),
                ];
                text(self.random.pick(&forms).as_str())
            }
            Kind::Int | Kind::Float | Kind::Atom | Kind::Bool | Kind::Fun => text(self.bind(kind)),
        }
    }

    fn pattern_form(&mut self, forms: &[&str], inner: impl Fn(&mut Self) -> Tree) -> Tree {
        let form = *self.random.pick(forms);
        let parts = form.chars().map(|it| if it == 'P' { inner(self) } else { text(it) });
        Tree::Fixed(parts.collect())
    }

    fn literal(&mut self, kind: Kind, depth: u32) -> Tree {
        const INTS: &[&str] = &[
            "0",
            "1",
            "2",
            "-1",
            "3",
            "7",
            "8",
            "97",
            "255",
            "-128",
            "1000000",
            "576460752303423487",
            "576460752303423488",
            "-576460752303423489",
            "18446744073709551616",
        ];
        let some = |it: &mut Self, from: &[&str]| expr([text(*it.random.pick(from))]);
        match kind {
            Kind::Int => some(self, INTS),
            Kind::Float => some(self, &["0.0", "1.0", "-1.5", "2.5", "1.0e10", "1.0e300", "3.0"]),
            Kind::Atom => some(self, &["a", "b", "ok", "undefined", "true", "false"]),
            Kind::Bool => some(self, &["true", "false"]),
            Kind::Fun if depth == 0 => some(self, &["a"]),
            Kind::Fun => some(self, &["fun erlang:abs/1", "fun erlang:hd/1", "fun lists:sum/1"]),
            Kind::List if depth == 0 => some(self, &["[]", "[1]", "\"abc\"", "[a, 2]"]),
            Kind::Tuple if depth == 0 => some(self, &["{}", "{a}", "{1, 2}", "{a, []}"]),
            Kind::Map if depth == 0 => some(self, &["#{}", "#{a => 1}", "#{1 => a}"]),
            Kind::Bits => some(self, &["<<>>", "<<1>>", "<<\"abc\">>", "<<5:3>>", "<<1, 2, 3:5>>"]),
            Kind::List | Kind::Tuple => {
                let items = (0..self.count(3)).map(|_| self.any_literal(depth - 1)).collect();
                let (open, close) = if kind == Kind::List { ("[", "]") } else { ("{", "}") };
                let items = Tree::Items { separator: ", ", least: 0, items };
                expr([text(open), items, text(close)])
            }
            Kind::Map => {
                let pair = |it: &mut Self| {
                    let key = *it.random.pick(&["a", "b", "1", "{a}", "1.0"]);
                    let value = it.any_literal(depth - 1);
                    Tree::Fixed(vec![text(format!("{key} => ")), value])
                };
                let items = (0..self.count(3)).map(|_| pair(self)).collect();
                let items = Tree::Items { separator: ", ", least: 0, items };
                expr([text("#{"), items, text("}")])
            }
        }
    }

    fn any_literal(&mut self, depth: u32) -> Tree {
        let kind = *self.random.pick(&KINDS[..8]);
        self.literal(kind, depth)
    }
}

fn expr(parts: impl IntoIterator<Item = Tree>) -> Tree {
    Tree::Expr(parts.into_iter().collect())
}

fn joined(separator: &str, trees: Vec<Tree>) -> Vec<Tree> {
    let mut res = Vec::new();
    for (at, tree) in trees.into_iter().enumerate() {
        if at > 0 {
            res.push(text(separator));
        }
        res.push(tree);
    }
    res
}
