//! The text of programs in the notation of the paper, and in Erlang's where the paper has none.

use erlang::core::{
    Clause, Expr, ExprKind, Lambda, MapOp, Module, Pattern, PatternSegment, Segment, VarId,
};
use smol_str::SmolStr;
use std::fmt::Write as _;
use term::{Atom, Encoding, Style, Term, atom_text, print};
use values::{Endian, SegmentSpec, SegmentType, Sign};

/// Returns a module as text, functions in the order of the source.
pub fn show(module: &Module) -> String {
    let mut page = Page { names: &module.names, text: String::new(), depth: 0 };
    for function in &module.functions {
        let (name, lambda) = (&function.name, &function.lambda);
        if name.as_str() == "module_info" {
            continue;
        }
        let head = format!("{}/{} = ", atom(name), lambda.params.len());
        page.text.push_str(&head);
        page.lambda(lambda);
        page.text.push_str("\n\n");
    }
    page.text.truncate(page.text.trim_end().len());
    page.text.push('\n');
    page.text
}

/// Returns the names of variables as a list.
pub(super) fn var_list(names: &[SmolStr], vars: &[VarId]) -> String {
    let vars: Vec<&str> = vars.iter().map(|it| name(names, *it)).collect();
    format!("[{}]", vars.join(","))
}

/// Returns the names of several values: a single name, or all in angle brackets.
pub(super) fn var_group(names: &[SmolStr], vars: &[VarId]) -> String {
    group(vars.iter().map(|it| name(names, *it).to_owned()))
}

pub(super) fn group(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    match items.as_slice() {
        [only] => only.clone(),
        _ => format!("<{}>", items.join(",")),
    }
}

/// Returns an expression on one line.
pub(super) fn inline(names: &[SmolStr], expr: &Expr) -> String {
    let mut page = Page { names, text: String::new(), depth: 0 };
    page.simple(expr);
    page.text
}

pub(super) fn inline_pattern(names: &[SmolStr], pattern: &Pattern) -> String {
    let mut page = Page { names, text: String::new(), depth: 0 };
    page.pattern(pattern);
    page.text
}

/// Returns the head of a clause, with its guard unless the guard is `true`.
pub(super) fn inline_head(names: &[SmolStr], clause: &Clause) -> String {
    let mut page = Page { names, text: String::new(), depth: 0 };
    page.head(clause);
    page.text
}

fn name(names: &[SmolStr], var: VarId) -> &str {
    names.get(var.0 as usize).map_or("_", SmolStr::as_str)
}

fn atom(atom: &Atom) -> String {
    atom_text(atom, Encoding::Unicode)
}

struct Page<'a> {
    names: &'a [SmolStr],
    text: String,
    depth: usize,
}

impl Page<'_> {
    fn line(&mut self) {
        self.text.push('\n');
        self.text.push_str(&"  ".repeat(self.depth));
    }

    fn deeper(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        self.line();
        write(self);
        self.depth -= 1;
    }

    fn lambda(&mut self, lambda: &Lambda) {
        let params: Vec<&str> = lambda.params.iter().map(|it| name(self.names, *it)).collect();
        let head = format!("fun ({}) ->", params.join(", "));
        self.text.push_str(&head);
        self.deeper(|page| page.expr(&lambda.body));
    }

    /// Writes an expression that may take several lines.
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Let { vars, arg, body } => {
                let vars = var_group(self.names, vars);
                write!(self.text, "let {vars} = ").ok();
                self.depth += 1;
                self.expr(arg);
                self.depth -= 1;
                self.line();
                self.text.push_str("in ");
                self.expr(body);
            }
            ExprKind::Seq(first, then) => match event(first) {
                Some(event) => {
                    write!(self.text, "out({event},").ok();
                    self.deeper(|page| page.expr(then));
                    self.text.push(')');
                }
                None => {
                    self.text.push_str("do ");
                    self.depth += 1;
                    self.expr(first);
                    self.depth -= 1;
                    self.line();
                    self.expr(then);
                }
            },
            ExprKind::Case { args, clauses } => {
                let args: Vec<String> = args.iter().map(|it| inline(self.names, it)).collect();
                let args = group(args.into_iter());
                write!(self.text, "case {args} of").ok();
                for clause in clauses {
                    self.deeper(|page| {
                        page.head(clause);
                        page.text.push_str(" ->");
                        page.deeper(|page| page.expr(&clause.body));
                    });
                }
                self.line();
                self.text.push_str("end");
            }
            ExprKind::Try { arg, vars, body, raised, handler } => {
                self.text.push_str("try");
                self.deeper(|page| page.expr(arg));
                self.line();
                let vars = var_group(self.names, vars);
                write!(self.text, "of {vars} ->").ok();
                self.deeper(|page| page.expr(body));
                self.line();
                let raised = var_group(self.names, raised);
                write!(self.text, "catch {raised} ->").ok();
                self.deeper(|page| page.expr(handler));
            }
            ExprKind::Catch(body) => {
                self.text.push_str("catch");
                self.deeper(|page| page.expr(body));
            }
            ExprKind::Letrec { functions, body, .. } => {
                self.text.push_str("letrec");
                for (var, _, lambda) in functions {
                    self.deeper(|page| {
                        let head = format!("{}/{} = ", name(page.names, *var), lambda.params.len());
                        page.text.push_str(&head);
                        page.lambda(lambda);
                    });
                }
                self.line();
                self.text.push_str("in ");
                self.expr(body);
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            _ => self.simple(expr),
        }
    }

    fn simple(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(var) => self.text.push_str(name(self.names, *var)),
            ExprKind::Literal(term) => self.literal(term),
            ExprKind::FunctionName(name, arity) => {
                write!(self.text, "{}/{arity}", atom(name)).ok();
            }
            ExprKind::LetrecName(var) => self.text.push_str(name(self.names, *var)),
            ExprKind::Lambda(lambda) => {
                let of = lambda.fun_name.as_ref().map(|it| format!(" {}", atom(it)));
                write!(self.text, "fun{}/{}", of.unwrap_or_default(), lambda.params.len()).ok();
            }
            ExprKind::Cons(head, tail) => self.cons(head, tail),
            ExprKind::Tuple(items) => self.list("{", items, "}"),
            ExprKind::Values(items) => self.list("<", items, ">"),
            ExprKind::Map { base, pairs } => {
                if !matches!(&base.kind, ExprKind::Literal(Term::Map(pairs)) if pairs.is_empty()) {
                    self.simple(base);
                }
                self.text.push_str("#{");
                for (n, pair) in pairs.iter().enumerate() {
                    self.comma(n);
                    self.simple(&pair.key);
                    self.text.push_str(match pair.op {
                        MapOp::Assoc => " => ",
                        MapOp::Exact => " := ",
                    });
                    self.simple(&pair.value);
                }
                self.text.push('}');
            }
            ExprKind::Binary(segments) => {
                self.text.push_str("<<");
                for (n, Segment { value, size, spec, .. }) in segments.iter().enumerate() {
                    self.comma(n);
                    self.simple(value);
                    self.segment(size.as_ref(), *spec);
                }
                self.text.push_str(">>");
            }
            ExprKind::Local { name, arity, args } => {
                write!(self.text, "apply {}/{arity} ", atom(name)).ok();
                self.list("(", args, ")");
            }
            ExprKind::ApplyLetrec { function, args } => {
                let function = name(self.names, *function);
                write!(self.text, "apply {function}/{} ", args.len()).ok();
                self.list("(", args, ")");
            }
            ExprKind::Apply { fun, args } => {
                self.text.push_str("apply ");
                self.simple(fun);
                self.list(" (", args, ")");
            }
            ExprKind::Call { module, name, args } => {
                self.text.push_str("call ");
                self.simple(module);
                self.text.push(':');
                self.simple(name);
                self.list(" (", args, ")");
            }
            ExprKind::Primop { name, args } => {
                write!(self.text, "primop {} ", atom(name)).ok();
                self.list("(", args, ")");
            }
            ExprKind::Let { .. }
            | ExprKind::Seq(..)
            | ExprKind::Case { .. }
            | ExprKind::Try { .. }
            | ExprKind::Catch(_)
            | ExprKind::Letrec { .. } => self.expr(expr),
        }
    }

    fn literal(&mut self, term: &Term) {
        self.text.push_str(&print(term, Style::TW));
    }

    fn comma(&mut self, n: usize) {
        if n > 0 {
            self.text.push(',');
        }
    }

    fn list(&mut self, open: &str, items: &[Expr], close: &str) {
        self.text.push_str(open);
        for (n, item) in items.iter().enumerate() {
            self.comma(n);
            self.simple(item);
        }
        self.text.push_str(close);
    }

    /// Writes a list in the form `[a,b|T]` or `[a,b]`.
    fn cons(&mut self, head: &Expr, mut tail: &Expr) {
        self.text.push('[');
        self.simple(head);
        while let ExprKind::Cons(head, rest) = &tail.kind {
            self.text.push(',');
            self.simple(head);
            tail = rest;
        }
        if !matches!(&tail.kind, ExprKind::Literal(Term::Nil)) {
            self.text.push('|');
            self.simple(tail);
        }
        self.text.push(']');
    }

    fn head(&mut self, clause: &Clause) {
        let heads = clause.patterns.iter().map(|it| inline_pattern(self.names, it));
        let heads = group(heads.collect::<Vec<_>>().into_iter());
        self.text.push_str(&heads);
        if !matches!(&clause.guard.kind, ExprKind::Literal(it) if it.as_atom() == Some("true")) {
            self.text.push_str(" when ");
            self.expr(&clause.guard);
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Var(var) => self.text.push_str(name(self.names, *var)),
            Pattern::Literal(term) => self.literal(term),
            Pattern::Cons(head, tail) => {
                self.text.push('[');
                self.pattern(head);
                let mut tail = tail.as_ref();
                while let Pattern::Cons(head, rest) = tail {
                    self.text.push(',');
                    self.pattern(head);
                    tail = rest;
                }
                if !matches!(tail, Pattern::Literal(Term::Nil)) {
                    self.text.push('|');
                    self.pattern(tail);
                }
                self.text.push(']');
            }
            Pattern::Tuple(items) => {
                self.text.push('{');
                for (n, item) in items.iter().enumerate() {
                    self.comma(n);
                    self.pattern(item);
                }
                self.text.push('}');
            }
            Pattern::Map(pairs) => {
                self.text.push_str("#{");
                for (n, (key, value)) in pairs.iter().enumerate() {
                    self.comma(n);
                    self.simple(key);
                    self.text.push_str(" := ");
                    self.pattern(value);
                }
                self.text.push('}');
            }
            Pattern::Binary(segments) => {
                self.text.push_str("<<");
                for (n, PatternSegment { value, size, spec }) in segments.iter().enumerate() {
                    self.comma(n);
                    self.pattern(value);
                    self.segment(size.as_ref(), *spec);
                }
                self.text.push_str(">>");
            }
            Pattern::Alias(var, pattern) => {
                self.text.push_str(name(self.names, *var));
                self.text.push('=');
                self.pattern(pattern);
            }
        }
    }

    fn segment(&mut self, size: Option<&Expr>, spec: SegmentSpec) {
        if let Some(size) = size {
            self.text.push(':');
            self.simple(size);
        }
        let ty = match spec.ty {
            SegmentType::Integer => "integer",
            SegmentType::Float => "float",
            SegmentType::Binary => "bitstring",
            SegmentType::Utf8 => "utf8",
            SegmentType::Utf16 => "utf16",
            SegmentType::Utf32 => "utf32",
        };
        write!(self.text, "/{ty}").ok();
        if spec.sign == Sign::Signed {
            self.text.push_str("-signed");
        }
        if spec.endian == Endian::Little {
            self.text.push_str("-little");
        }
        if spec.unit != 1 {
            write!(self.text, "-unit:{}", spec.unit).ok();
        }
    }
}

/// Returns the text of the event that an expression emits, if it emits one.
fn event(expr: &Expr) -> Option<String> {
    let args = super::transform::event_of(expr)?;
    let [Expr { kind: ExprKind::Literal(text), .. }, value @ ..] = args else { return None };
    let text = String::from_utf8_lossy(text.as_bytes()?).into_owned();
    Some(if value.is_empty() { format!("\"{text}\"") } else { format!("\"{text}~w)\"") })
}
