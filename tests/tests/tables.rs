//! Compares random sequences of ETS operations by two processes with BEAM.
//!
//! BEAM does not define the order of objects except in ordered sets, so answers in other orders are sorted
//! first.

use conformance::{Random, beam_tables};
use erlang::builtins::ets::Tables;
use erlang::builtins::{Builtin, Fault, How, all};
use erlang::machine::process::{Execution, Process};
use erlang::machine::{RunState, World};
use std::collections::BTreeMap;
use term::{Atom, Pid, Style, Term, print, read_term};
use values::{AtomId, Forked, PidId, Roots, Value, from_term, to_term};

const N_SEQUENCES: u64 = 1_000;
const N_STEPS: usize = 80;

#[test]
fn sequences_of_table_operations_answer_as_on_beam() {
    let sequences: Vec<Vec<Step>> =
        (0..N_SEQUENCES).map(|seed| Writer::new(seed).sequence()).collect();
    let asked = sequences.iter().map(|it| Term::proper_list(it.iter().map(Step::term).collect()));
    let theirs = beam_tables(&Term::proper_list(asked.collect()));
    let mut differences = Vec::new();
    for (sequence, theirs) in sequences.iter().zip(theirs.as_list().expect("sequences")) {
        let mut ours = Ours::new();
        let theirs = theirs.as_list().expect("answers");
        assert_eq!(sequence.len(), theirs.len(), "one answer per step");
        for (n, (step, theirs)) in sequence.iter().zip(theirs).enumerate() {
            let answer = sorted_if_open(step, ours.answer(step));
            let theirs = sorted_if_open(step, theirs.clone());
            if answer != theirs {
                let before: Vec<String> = sequence
                    .iter()
                    .take(n)
                    .filter(|it| it.args.first() == step.args.first() || it.args.is_empty())
                    .map(Step::text)
                    .collect();
                differences.push(format!(
                    "{}\n  BEAM {}\n  ours {}\n  after\n    {}\n",
                    step.text(),
                    print(&theirs, Style::TP),
                    print(&answer, Style::TP),
                    before[before.len().saturating_sub(8)..].join("\n    ")
                ));
                break;
            }
        }
    }
    let n = differences.len();
    differences.truncate(10);
    assert!(n == 0, "{n} of {N_SEQUENCES} sequences differ\n{}", differences.join("\n"));
}

/// One call by one process.
struct Step {
    actor: &'static str,
    function: String,
    args: Vec<Term>,
}

impl Step {
    fn term(&self) -> Term {
        let atom = |it: &str| Term::Atom(Atom::new(it));
        let args = Term::proper_list(self.args.clone());
        Term::Tuple(vec![atom(self.actor), atom(&self.function), args])
    }

    fn text(&self) -> String {
        let args: Vec<String> = self.args.iter().map(|it| print(it, Style::TP)).collect();
        format!("{}: {}({})", self.actor, self.function, args.join(", "))
    }
}

const TABLES: &[&str] = &["set", "ordered_set", "bag", "duplicate_bag", "keyed", "private", "none"];

/// Functions whose answers list objects or keys in the table's order.
const IN_TABLE_ORDER: &[&str] =
    &["select", "select_reverse", "match", "match_object", "drain", "walk"];
/// Functions whose answer is one key of the table, in an undefined order.
const A_KEY: &[&str] = &["first", "last", "next", "prev", "slot"];

fn sorted_if_open(step: &Step, answer: Term) -> Term {
    let table = if step.function == "drain" { step.args.get(1) } else { step.args.first() };
    if table.and_then(Term::as_atom) == Some("ordered_set") {
        return answer;
    }
    let Some([tag, value]) = answer.as_tuple() else { return answer };
    if A_KEY.contains(&step.function.as_str()) {
        return Term::Tuple(vec![tag.clone()]);
    }
    if !IN_TABLE_ORDER.contains(&step.function.as_str()) {
        return answer;
    }
    let mut items = value.as_list().unwrap_or_default().to_vec();
    items.sort_by(Term::cmp_exact);
    Term::Tuple(vec![tag.clone(), Term::proper_list(items)])
}

// The machine's side.

struct Ours {
    world: World,
    actors: BTreeMap<&'static str, PidId>,
    n_processes: u32,
    rows: Vec<&'static Builtin>,
}

impl Ours {
    fn new() -> Ours {
        let rows = all().filter(|it| matches!(it.module, "ets" | "erlang")).collect();
        let (world, actors) = (World::default(), BTreeMap::new());
        let mut res = Ours { world, actors, n_processes: 0, rows };
        res.start("actor0");
        res.start("actor1");
        res
    }

    fn start(&mut self, actor: &'static str) {
        self.n_processes += 1;
        let pid = PidId(self.n_processes);
        let dictionary = self.world.heap.empty_map();
        let process = Process::new(pid, PidId(0), Execution::default(), dictionary);
        self.world.run.processes.insert(pid, process);
        self.actors.insert(actor, pid);
    }

    fn answer(&mut self, step: &Step) -> Term {
        let actor = *self.actors.get(step.actor).expect("a known actor");
        if step.function == "die" {
            self.world.run.current = PidId(0);
            self.world.terminate(actor, Value::atom(AtomId::KILLED));
            self.start(step.actor);
            return ok(Term::Atom(Atom::new("ok")));
        }
        self.world.run.current = actor;
        let forth: Vec<(Term, Term)> =
            self.actors.iter().map(|it| (Term::Atom(Atom::new(it.0)), pid(*it.1))).collect();
        let back: Vec<(Term, Term)> = forth.iter().map(|it| (it.1.clone(), it.0.clone())).collect();
        let world = &mut self.world;
        let args: Vec<Value> = step
            .args
            .iter()
            .map(|it| from_term(&mut world.heap, &mut world.atoms, &swap(it, &forth)))
            .collect();
        let result = self.run(&step.function, &args);
        let world = &mut self.world;
        let answer = match result {
            Ok(value) => ok(plain(world, value)),
            Err(Fault::Error(reason)) => self.raised(reason, "none"),
            Err(Fault::Caused(reason, cause)) => {
                let cause = world.atoms.name(cause).to_owned();
                self.raised(reason, &cause)
            }
            Err(fault) => panic!("{}: {fault:?}", step.text()),
        };
        // The contents of tables must survive that a garbage collection moves objects.
        let World { heap, run: RunState { ets, processes, .. }, .. } = &mut self.world;
        heap.collect_all(&mut TableRoots { ets, processes });
        swap(&answer, &back)
    }

    fn raised(&self, reason: Value, cause: &str) -> Term {
        let reason = plain(&self.world, reason);
        Term::Tuple(vec![Term::Atom(Atom::new("error")), reason, Term::Atom(Atom::new(cause))])
    }

    fn run(&mut self, function: &str, args: &[Value]) -> Result<Value, Fault> {
        match function {
            "flush" => {
                let me = self.world.me().expect("an actor is there");
                let mine: Vec<Value> = std::mem::take(&mut me.mailbox).into();
                Ok(self.world.heap.list(&mine))
            }
            "drain" => {
                let function =
                    self.world.atoms.name(first(args).as_atom().expect("a function")).to_owned();
                let mut found = Vec::new();
                let mut portion = self.call(&function, args.get(1..).unwrap_or_default())?;
                while let Some([items, next]) = self.world.heap.elements(portion) {
                    found.extend(self.world.heap.list_items(*items).expect("a list"));
                    let next = *next;
                    portion = self.call(&function, &[next])?;
                }
                Ok(self.world.heap.list(&found))
            }
            "walk" => {
                let mut keys = Vec::new();
                let mut key = self.call("first", args)?;
                while plain(&self.world, key) != Term::Atom(Atom::new("$end_of_table")) {
                    keys.push(key);
                    key = self.call("next", &[first(args), key])?;
                }
                Ok(self.world.heap.list(&keys))
            }
            _ => self.call(function, args),
        }
    }

    fn call(&mut self, function: &str, args: &[Value]) -> Result<Value, Fault> {
        let is_it = |it: &&&Builtin| it.name == function && usize::from(it.arity) == args.len();
        let row = self.rows.iter().find(is_it).unwrap_or_else(|| panic!("no {function}"));
        let How::Native(run) = row.how else { panic!("{function} is not native") };
        run(&mut self.world, args)
    }
}

struct TableRoots<'a> {
    ets: &'a mut Tables,
    processes: &'a mut Forked<PidId, Process>,
}

impl Roots for TableRoots<'_> {
    fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value])) {
        self.ets.visit_roots(visitor);
        for process in self.processes.values_mut() {
            process.visit(visitor);
        }
    }
}

fn first(args: &[Value]) -> Value {
    args.first().copied().unwrap_or(Value::NIL)
}

fn plain(world: &World, value: Value) -> Term {
    to_term(&world.heap, &world.atoms, value).expect("a term of modest depth")
}

fn ok(value: Term) -> Term {
    Term::Tuple(vec![Term::Atom(Atom::new("value")), value])
}

fn pid(pid: PidId) -> Term {
    Term::Pid(Pid { node: Atom::new("nonode@nohost"), id: pid.0, serial: 0, creation: 0 })
}

fn swap(term: &Term, names: &[(Term, Term)]) -> Term {
    if let Some((_, other)) = names.iter().find(|it| it.0 == *term) {
        return other.clone();
    }
    match term {
        Term::Pid(_) => Term::Atom(Atom::new("somebody")),
        Term::List(list) => Term::list(
            list.items.iter().map(|it| swap(it, names)).collect(),
            swap(&list.tail, names),
        ),
        Term::Tuple(items) => Term::Tuple(items.iter().map(|it| swap(it, names)).collect()),
        Term::Map(pairs) => {
            let pair = |it: &(Term, Term)| (it.0.clone(), swap(&it.1, names));
            Term::Map(pairs.iter().map(pair).collect())
        }
        Term::Int(_)
        | Term::Big(_)
        | Term::Float(_)
        | Term::Atom(_)
        | Term::Nil
        | Term::Bits(_)
        | Term::Fun(_)
        | Term::Port(_)
        | Term::Ref(_) => term.clone(),
    }
}

// Generating sequences.

struct Writer {
    random: Random,
}

impl Writer {
    fn new(seed: u64) -> Writer {
        Writer { random: Random(seed) }
    }

    fn sequence(&mut self) -> Vec<Step> {
        let options = [
            "set,[named_table,public,set]",
            "ordered_set,[named_table,public,ordered_set]",
            "bag,[named_table,public,bag,{heir,actor1,mine}]",
            "duplicate_bag,[named_table,public,duplicate_bag]",
            "keyed,[named_table,protected,{keypos,2},{heir,none}]",
            "private,[named_table,private,{heir,actor1,{to,you}}]",
        ];
        let mut steps: Vec<Step> = options.iter().map(|it| step("actor0", "new", it)).collect();
        for table in TABLES.iter().take(5) {
            let objects: Vec<String> = (0..6).map(|_| self.object()).collect();
            steps.push(step("actor0", "insert", &format!("{table},[{}]", objects.join(","))));
        }
        for _ in 0..N_STEPS {
            let step = self.step();
            steps.push(step);
        }
        steps
    }

    fn step(&mut self) -> Step {
        let actor = *self.random.pick(&["actor0", "actor0", "actor0", "actor0", "actor1"]);
        let mut table = (*self.random.pick(TABLES)).to_owned();
        if self.random.below(60) == 0 {
            table = (*self.random.pick(&["17", "{set}", "[]"])).to_owned();
        }
        let table = table.as_str();
        let (function, args) = match self.random.below(100) {
            0..=13 => ("insert", format!("{table},{}", self.objects())),
            14..=17 => ("insert_new", format!("{table},{}", self.objects())),
            18..=22 => ("lookup", format!("{table},{}", self.key())),
            23..=25 => {
                let place = self.pick(&["1", "2", "3", "0", "a"]);
                ("lookup_element", format!("{table},{},{place}", self.key()))
            }
            26 | 27 => ("member", format!("{table},{}", self.key())),
            28..=30 => ("delete", format!("{table},{}", self.key())),
            31 | 32 => ("delete_object", format!("{table},{}", self.object())),
            33 => ("internal_delete_all", format!("{table},undefined")),
            34 | 35 => ("take", format!("{table},{}", self.key())),
            36..=39 => ("update_element", format!("{table},{},{}", self.key(), self.settings())),
            40..=45 => ("update_counter", format!("{table},{},{}", self.key(), self.changes())),
            46 | 47 => {
                // With a default object too short for its key, BEAM writes beyond the object. If the call
                // fails on a fixed table, a trace of the key remains. Both cases are avoided.
                let table = self.pick(&["set", "ordered_set", "bag", "keyed"]);
                let default = self.pick(&["{q,1}", "{q,7,3}", "{q,x,2}", "{q,1,2,x}"]);
                ("update_counter", format!("{table},{},{},{default}", self.key(), self.changes()))
            }
            48 | 49 => ("first", table.to_owned()),
            50 => ("last", table.to_owned()),
            51..=53 => ("next", format!("{table},{}", self.key())),
            54 | 55 => ("prev", format!("{table},{}", self.key())),
            56 | 57 => ("walk", table.to_owned()),
            58 | 59 => {
                let table = self.pick(&["bag", "duplicate_bag", "private", "ordered_set"]);
                let fix = self.pick(&["true", "true", "false", "false", "maybe"]);
                ("safe_fixtable", format!("{table},{fix}"))
            }
            60..=63 => {
                let items = [
                    "size",
                    "type",
                    "keypos",
                    "protection",
                    "owner",
                    "heir",
                    "fixed",
                    "name",
                    "named_table",
                    "node",
                    "compressed",
                    "nothing",
                ];
                ("info", format!("{table},{}", self.pick(&items)))
            }
            64..=66 => ("match", format!("{table},{}", self.head())),
            67..=69 => ("match_object", format!("{table},{}", self.head())),
            70..=75 => ("select", format!("{table},{}", self.spec())),
            76 | 77 => ("select_reverse", format!("{table},{}", self.spec())),
            78..=81 => {
                let (function, what) = match self.random.below(4) {
                    0 => ("select", self.spec()),
                    1 => ("select_reverse", self.spec()),
                    2 => ("match", self.head()),
                    _ => ("match_object", self.head()),
                };
                let limit = self.pick(&["1", "2", "3", "100", "0"]);
                ("drain", format!("{function},{table},{what},{limit}"))
            }
            82 | 83 => ("select_count", format!("{table},{}", self.spec())),
            84 | 85 => ("internal_select_delete", format!("{table},{}", self.spec())),
            86..=88 => ("select_replace", format!("{table},{}", self.replacing_spec())),
            89 => ("give_away", format!("{table},{},gift", self.pick(&["actor0", "actor1", "me"]))),
            90 => {
                let options = [
                    "{heir,actor1,x}",
                    "{heir,none}",
                    "[{protection,public}]",
                    "[]",
                    "odd",
                    "[{heir,actor0,y},{protection,protected}]",
                    "[{heir,none},{heir,none}]",
                ];
                ("setopts", format!("{table},{}", self.pick(&options)))
            }
            91 => ("flush", String::new()),
            92 if self.random.below(4) == 0 => ("die", String::new()),
            92 | 93 => {
                // The name tells in which tables answers are ordered.
                let kinds = ["bag", "set", "odd"];
                let kind =
                    if table == "ordered_set" { table.to_owned() } else { self.pick(&kinds) };
                ("new", format!("{table},[named_table,{kind}]"))
            }
            94 if self.random.below(3) == 0 => ("delete", table.to_owned()),
            94 => ("slot", format!("{table},{}", self.pick(&["0", "1", "a", "-1"]))),
            95 => ("rename", format!("{table},{}", self.pick(&["fresh", "set", "7"]))),
            _ => {
                let term = self.pick(&["{a,1}", "[x]", "{1,2,3}", "7", "{}"]);
                ("match_spec_test", format!("{term},{},table", self.spec()))
            }
        };
        step(actor, function, &args)
    }

    fn pick(&mut self, from: &[&str]) -> String {
        (*self.random.pick(from)).to_owned()
    }

    fn key(&mut self) -> String {
        self.pick(&["1", "1.0", "2", "2", "3", "a", "a", "b", "\"s\"", "{a,1}", "{a,1.0}", "<<7>>"])
    }

    fn element(&mut self) -> String {
        self.pick(&[
            "0",
            "1",
            "2",
            "7",
            "-3",
            "1.5",
            "x",
            "y",
            "[]",
            "[1,x]",
            "{x,1}",
            "#{k=>1}",
            "#{k=>2,l=>x}",
            "<<1,2>>",
            "9223372036854775807",
        ])
    }

    fn object(&mut self) -> String {
        let n = self.random.below(4);
        let key = self.key();
        let mut elements = vec![key];
        elements.extend((0..n).map(|_| self.element()));
        if elements.len() > 1 && self.random.below(3) == 0 {
            elements.truncate(1);
            elements.push(self.key());
        }
        format!("{{{}}}", elements.join(","))
    }

    fn objects(&mut self) -> String {
        match self.random.below(12) {
            0 => self.pick(&["foo", "{}", "[]", "[{1}|2]", "[{1},a]"]),
            1..=4 => {
                let n = self.random.below(4) + 1;
                let objects: Vec<String> = (0..n).map(|_| self.object()).collect();
                format!("[{}]", objects.join(","))
            }
            _ => self.object(),
        }
    }

    fn settings(&mut self) -> String {
        let one = |it: &mut Writer| {
            let place = it.pick(&["2", "3", "2", "3", "1", "9", "0", "a"]);
            format!("{{{place},{}}}", it.element())
        };
        match self.random.below(6) {
            0 => self.pick(&["foo", "[]", "{2}"]),
            1 => format!("[{},{}]", one(self), one(self)),
            _ => one(self),
        }
    }

    fn changes(&mut self) -> String {
        let one = |it: &mut Writer| {
            let place = it.pick(&["2", "3", "2", "1", "9", "0"]);
            let by = it.pick(&["1", "-1", "5", "9223372036854775807", "a"]);
            if it.random.below(3) == 0 {
                let threshold = it.pick(&["3", "-3", "100"]);
                return format!("{{{place},{by},{threshold},0}}");
            }
            format!("{{{place},{by}}}")
        };
        match self.random.below(6) {
            0 => self.pick(&["1", "-1", "foo", "[]", "{2}", "[{2,1}|a]"]),
            1 => format!("[{},{}]", one(self), one(self)),
            _ => one(self),
        }
    }

    fn head_part(&mut self) -> String {
        match self.random.below(10) {
            0 | 1 => "'_'".to_owned(),
            2..=5 => self.pick(&["'$1'", "'$2'", "'$3'", "'$1'"]),
            6 => self.key(),
            7 => self.pick(&["{'$1',1}", "['$1'|'_']", "#{k=>'$2'}", "#{'_'=>1}", "{'$2','_'}"]),
            _ => self.element(),
        }
    }

    fn head(&mut self) -> String {
        if self.random.below(8) == 0 {
            return self.pick(&["'_'", "'$1'", "foo", "['$1']", "{}"]);
        }
        let n = self.random.below(4) + 1;
        let parts: Vec<String> = (0..n).map(|_| self.head_part()).collect();
        format!("{{{}}}", parts.join(","))
    }

    fn spec(&mut self) -> String {
        if self.random.below(20) == 0 {
            return self.pick(&["[]", "foo", "[foo]", "[{'_',[],[]}]", "[{'_',a,[1]}]"]);
        }
        let n = if self.random.below(4) == 0 { 2 } else { 1 };
        let clauses: Vec<String> = (0..n)
            .map(|_| {
                let guards: Vec<String> =
                    (0..self.random.below(3)).map(|_| self.condition(2)).collect();
                let body = if self.random.below(3) == 0 { "true".to_owned() } else { self.expr(2) };
                format!("{{{},[{}],[{body}]}}", self.head(), guards.join(","))
            })
            .collect();
        format!("[{}]", clauses.join(","))
    }

    fn replacing_spec(&mut self) -> String {
        let head = self.pick(&["{'$1','$2'}", "{'$1','$2','$3'}", "{'$1'}", "{{'$1','$2'},'$3'}"]);
        let body = match self.random.below(7) {
            0 => "'$_'".to_owned(),
            1 => format!("{{{{{{element,1,'$_'}},{}}}}}", self.expr(1)),
            2 => format!("{{{{'$1',{}}}}}", self.expr(1)),
            3 => format!("{{{{'$2',{}}}}}", self.expr(1)),
            4 => format!("{{{{'$1','$2',{}}}}}", self.expr(1)),
            5 => "{const,{'$1',2}}".to_owned(),
            _ => format!("{{{{{{{{'$1','$2'}}}},{}}}}}", self.expr(1)),
        };
        format!("[{{{head},[],[{body}]}}]")
    }

    fn condition(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(&[
                "true",
                "false",
                "1",
                "'$1'",
                "{is_atom,'$1'}",
                "{is_integer,'$2'}",
            ]);
        }
        match self.random.below(7) {
            0 => format!("{{'and',{},{}}}", self.condition(depth - 1), self.condition(depth - 1)),
            1 => {
                format!("{{'orelse',{},{}}}", self.condition(depth - 1), self.condition(depth - 1))
            }
            2 => format!(
                "{{'andalso',{},{},{}}}",
                self.condition(depth - 1),
                self.condition(depth - 1),
                self.condition(depth - 1)
            ),
            3 => format!("{{'or',{},{}}}", self.condition(depth - 1), self.condition(depth - 1)),
            _ => {
                let operator = self.pick(&["'>'", "'<'", "'=:='", "'=='", "'=/='", "'>='", "'=<'"]);
                format!("{{{operator},{},{}}}", self.expr(depth - 1), self.expr(depth - 1))
            }
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(3) == 0 {
            return self.pick(&[
                "'$1'",
                "'$2'",
                "'$1'",
                "'$_'",
                "'$$'",
                "1",
                "a",
                "{const,{a,'$1'}}",
                "[]",
                "{{}}",
                "{self}",
                "{foo}",
                "{1,2}",
            ]);
        }
        let inner = self.expr(depth - 1);
        match self.random.below(9) {
            0 => format!("{{{{{inner},{}}}}}", self.expr(depth - 1)),
            1 => format!("[{inner},{}]", self.expr(depth - 1)),
            2 => format!("#{{k=>{inner}}}"),
            3 => format!(
                "{{{},{inner},{}}}",
                self.pick(&["'+'", "'*'", "'div'"]),
                self.expr(depth - 1)
            ),
            4 => format!("{{{},{inner}}}", self.pick(&["hd", "tl", "length", "abs", "map_size"])),
            5 => format!("{{element,{},{inner}}}", self.pick(&["1", "2", "9"])),
            6 => {
                format!("{{{},{inner}}}", self.pick(&["is_list", "is_tuple", "is_map", "is_float"]))
            }
            7 => format!("{{map_get,k,{inner}}}"),
            _ => self.condition(depth),
        }
    }
}

fn step(actor: &'static str, function: &str, args: &str) -> Step {
    let list = format!("[{args}]");
    let args = read_term(&list).unwrap_or_else(|why| panic!("{why:?}: {list}"));
    let args = args.as_list().unwrap_or_else(|| panic!("not a list: {list}")).to_vec();
    Step { actor, function: function.to_owned(), args }
}
