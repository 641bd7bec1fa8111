//! Translates BEAM's instructions to ours. Those on bitstrings are in `bits`.

use super::read::{atom, natural};
use super::{Assembler, address, as_u16, label_of};
use crate::builtins::How;
use crate::code::{Cmp, HandlerKind, Import, ImportId, Ins, MapStep, Reg, Src, SwitchTable};
use crate::core::MapOp;
use crate::lower::guards::{comparison, kind_test};
use term::{Atom, Kind, Term};

/// The label that a failing instruction jumps to; `None` if it raises an exception.
pub(super) type Guard = Option<u32>;

impl Assembler<'_, '_> {
    /// Emits the translation of an instruction; `None` if the instruction is unknown.
    pub(super) fn op(&mut self, name: &str, args: &[Term]) -> Option<Guard> {
        match (name, args) {
            // These instructions only concern memory, types and receive markers.
            (
                "allocate"
                | "allocate_zero"
                | "allocate_heap"
                | "allocate_heap_zero"
                | "deallocate"
                | "test_heap"
                | "try"
                | "try_end"
                | "try_case"
                | "catch"
                | "recv_marker_bind"
                | "recv_marker_clear"
                | "recv_marker_reserve"
                | "recv_marker_use"
                | "recv_mark"
                | "recv_set"
                | "nif_start"
                | "fclearerror"
                | "on_load",
                _,
            )
            | ("fcheckerror", [_]) => {
                if name == "recv_marker_reserve" {
                    let dst = self.reg(args.first()?)?;
                    self.move_literal(dst, &Term::Nil);
                }
            }
            ("init_yregs", [regs]) => {
                for reg in items(regs)? {
                    let dst = self.reg(reg)?;
                    self.move_literal(dst, &Term::Nil);
                }
            }
            ("init", [reg]) => {
                let dst = self.reg(reg)?;
                self.move_literal(dst, &Term::Nil);
            }
            ("trim", [n, left]) => {
                let (n, left) = (natural(n)?, natural(left)?);
                for place in 0..left {
                    let (dst, src) = (self.y(place), Src::reg(self.y(place + n)));
                    self.emit(Ins::Move { dst, src });
                }
            }
            ("line", [n]) => self.line(natural(n)?),
            ("func_info", [_, name, arity]) => {
                let name = self.lowering.world.atoms.intern(atom_operand(name)?.as_str());
                let n = natural(arity)?;
                let args = self.first_args(n);
                self.emit(Ins::FunctionClause { n: u8::try_from(n).ok()?, name, args });
            }
            ("move" | "fmove", [src, dst]) => {
                let (src, dst) = (self.src(src)?, self.reg(dst)?);
                self.emit(Ins::Move { dst, src });
            }
            ("swap", [a, b]) => {
                let (a, b, own) = (self.reg(a)?, self.reg(b)?, self.own(0));
                self.emit(Ins::Move { dst: own, src: Src::reg(a) });
                self.emit(Ins::Move { dst: a, src: Src::reg(b) });
                self.emit(Ins::Move { dst: b, src: Src::reg(own) });
            }
            ("jump", [to]) => self.emit(Ins::Jump { to: label_of(to)? }),
            ("return", []) => self.emit(Ins::Return { src: Src::reg(Reg(0)) }),
            ("test", [name, to, args]) => {
                let (to, args) = (label_of(to)?, items(args)?.to_vec());
                return self.test(name.as_atom()?, to, &args);
            }
            ("test", [name, to, src, args]) => {
                let mut all = vec![src.clone()];
                all.extend(items(args)?.iter().cloned());
                return self.test(name.as_atom()?, label_of(to)?, &all);
            }
            ("select_val" | "select_tuple_arity", [src, to, list]) => {
                self.select(src, label_of(to)?, items(list)?)?;
            }
            ("bif", [name, to, args, dst]) | ("gc_bif", [name, to, _, args, dst]) => {
                let to = if to.as_atom() == Some("nofail") { 0 } else { label_of(to)? };
                return self.bif(atom(name)?.as_str(), to, items(args)?, dst);
            }
            _ => return self.data_op(name, args).or_else(|| self.call_op(name, args)),
        }
        Some(None)
    }

    fn data_op(&mut self, name: &str, args: &[Term]) -> Option<Guard> {
        match (name, args) {
            ("get_list", [src, head, tail]) => {
                let (src, head, tail) = (self.src(src)?, self.reg(head)?, self.reg(tail)?);
                self.emit(Ins::GetCons { head, tail, src });
            }
            ("get_hd", [src, dst]) => {
                let (src, dst) = (self.src(src)?, self.reg(dst)?);
                self.emit(Ins::GetHead { dst, src });
            }
            ("get_tl", [src, dst]) => {
                let (src, dst) = (self.src(src)?, self.reg(dst)?);
                self.emit(Ins::GetTail { dst, src });
            }
            ("get_tuple_element", [src, place, dst]) => {
                let (src, place, dst) = (self.src(src)?, natural(place)?, self.reg(dst)?);
                self.emit(Ins::GetElement { dst, src, place });
            }
            ("put_list", [head, tail, dst]) => {
                let (head, tail, dst) = (self.src(head)?, self.src(tail)?, self.reg(dst)?);
                self.emit(Ins::Cons { dst, head, tail });
            }
            ("put_tuple2", [dst, list]) => {
                let (srcs, dst) = (self.srcs(items(list)?)?, self.reg(dst)?);
                let (n, args) = (address(srcs.len()), self.operands(&srcs));
                self.emit(Ins::Tuple { dst, n, args });
            }
            // The tuple is new and not shared yet, so a changed copy is equivalent to an update in place.
            ("set_tuple_element", [value, tuple, place]) => {
                let dst = self.reg(tuple)?;
                let place = self.lowering.literal(&Term::Int(i64::from(natural(place)?) + 1));
                let srcs = [place, self.src(tuple)?, self.src(value)?];
                self.guard_bif("setelement", &srcs, dst)?;
            }
            ("get_map_elements", [to, src, list]) => {
                let (to, mut src) = (label_of(to)?, self.src(src)?);
                let pairs = items(list)?;
                let own = self.own(0);
                if pairs
                    .chunks(2)
                    .any(|it| it.get(1).and_then(|it| self.reg(it)).map(Src::reg) == Some(src))
                {
                    self.emit(Ins::Move { dst: own, src });
                    src = Src::reg(own);
                }
                for pair in pairs.chunks(2) {
                    let [key, dst] = pair else { return None };
                    let (key, dst) = (self.src(key)?, self.reg(dst)?);
                    self.emit(Ins::GetKey { dst, map: src, key, to });
                }
            }
            ("put_map_assoc" | "put_map_exact", [to, src, dst, _, list]) => {
                let op = if name == "put_map_exact" { MapOp::Exact } else { MapOp::Assoc };
                let mut steps = Vec::new();
                for pair in items(list)?.chunks(2) {
                    let [key, value] = pair else { return None };
                    steps.push(MapStep { op, key: self.src(key)?, value: self.src(value)? });
                }
                let (base, dst) = (self.src(src)?, self.reg(dst)?);
                self.lowering.program.map_steps.push(steps);
                let steps = address(self.lowering.program.map_steps.len() - 1);
                self.emit(Ins::Map { dst, base, steps });
                return Some(guard(label_of(to)?));
            }
            ("fconv", [src, dst]) => {
                let (a, dst) = (self.src(src)?, self.reg(dst)?);
                let b = self.lowering.literal(&Term::Float(1.0));
                let reason = self.lowering.literal(&Term::atom("badarith"));
                // A failing conversion does not appear in the stack trace, unlike a failing arithmetic operator.
                let (bad, good) = (self.label(), self.label());
                self.emit(Ins::JumpUnlessKind { kind: Kind::Number, src: a, to: bad });
                self.emit(Ins::Jump { to: good });
                self.bind(bad);
                self.emit(Ins::Fail { reason });
                self.bind(good);
                self.emit(Ins::Multiply { dst, a, b });
            }
            ("arithfbif", [name, to, args, dst]) => {
                let name = match name.as_atom()? {
                    "fadd" => "+",
                    "fsub" | "fnegate" => "-",
                    "fmul" => "*",
                    "fdiv" => "/",
                    _ => return None,
                };
                // A failing floating-point operation does not appear in the stack trace, unlike a failing operator.
                let (start, bad, good) = (self.here(), self.label(), self.label());
                self.bif(name, label_of(to)?, items(args)?, dst)?;
                let end = self.here();
                self.handler(start, end, bad, HandlerKind::Guard);
                self.emit(Ins::Jump { to: good });
                self.bind(bad);
                let reason = self.lowering.literal(&Term::atom("badarith"));
                self.emit(Ins::Fail { reason });
                self.bind(good);
            }
            ("make_fun2" | "make_fun3", [code, _, _, rest @ ..]) => {
                let [_, function, arity] = code.as_tuple()? else { return None };
                let (function, arity) = (atom(function)?, natural(arity)? as usize);
                let id = *self.lowering.locals.get(&(function.clone(), arity))?;
                let (dst, srcs) = match rest {
                    [dst, free] => (self.reg(dst)?, self.srcs(items(free)?)?),
                    [n] => (Reg(0), (0..natural(n)?).map(|it| Src::reg(Reg(as_u16(it)))).collect()),
                    _ => return None,
                };
                let visible = arity.checked_sub(srcs.len())?;
                let lambda = self.lowering.closure_of(id, &function, visible).0;
                let (n, args) = (u16::try_from(srcs.len()).ok()?, self.operands(&srcs));
                self.emit(Ins::Closure { dst, n, lambda, args });
            }
            ("bs_create_bin" | "bs_start_match3" | "bs_start_match4" | "bs_get_tail", _)
            | ("bs_get_position" | "bs_set_position" | "bs_init_writable", _) => {
                return self.bits_op(name, args);
            }
            _ => return None,
        }
        Some(None)
    }

    fn call_op(&mut self, name: &str, args: &[Term]) -> Option<Guard> {
        let is_tail = name.ends_with("_only") || name.ends_with("_last");
        match (name, args) {
            ("call" | "call_only" | "call_last", [n, function, ..]) => {
                let [_, function, arity] = function.as_tuple()? else { return None };
                let (function, arity) = (atom(function)?, natural(arity)? as usize);
                let module = self.assembly.name.clone();
                if self.builtin(&module, &function, arity).is_some() {
                    self.call_import(&module, &function, natural(n)?, is_tail)?;
                    return Some(None);
                }
                let function = *self.lowering.locals.get(&(function, arity))?;
                let (n, args) = (u8::try_from(natural(n)?).ok()?, self.first_args(natural(n)?));
                let base = self.base();
                self.call(
                    is_tail,
                    Ins::TailCall { n, function, args },
                    Ins::Call { n, base, function, args },
                );
            }
            ("call_ext" | "call_ext_only" | "call_ext_last", [n, function, ..]) => {
                let [_, module, function, _] = function.as_tuple()? else { return None };
                self.call_import(&atom(module)?, &atom(function)?, natural(n)?, is_tail)?;
            }
            ("send", []) => self.call_import(&Atom::new("erlang"), &Atom::new("send"), 2, false)?,
            ("call_fun", [n]) => {
                let n = natural(n)?;
                self.call_fun(Src::reg(Reg(as_u16(n))), n)?;
            }
            ("call_fun2", [_, n, fun]) => {
                let fun = self.src(fun)?;
                self.call_fun(fun, natural(n)?)?;
            }
            ("apply" | "apply_last", [n, ..]) => {
                let n = natural(n)?;
                let reg = |it: u32| Src::reg(Reg(as_u16(it)));
                let mut srcs = vec![reg(n), reg(n + 1)];
                srcs.extend((0..n).map(reg));
                let (n, args) = (u8::try_from(n).ok()?, self.operands(&srcs));
                let base = self.base();
                self.call(
                    is_tail,
                    Ins::TailDynamic { n, args },
                    Ins::CallDynamic { n, base, args },
                );
            }
            ("loop_rec", [to, dst]) => {
                let (message, found, depth) = (self.reg(dst)?, self.own(0), self.base());
                self.emit(Ins::Loop { depth });
                self.emit(Ins::Peek { found, message });
                self.emit(Ins::JumpUnlessTrue { src: Src::reg(found), to: label_of(to)? });
            }
            ("loop_rec_end", [to]) => {
                self.emit(Ins::PeekNext);
                self.emit(Ins::Jump { to: label_of(to)? });
            }
            ("remove_message", []) => self.emit(Ins::RemoveMessage),
            ("timeout", []) => {
                let (timeout, depth) = (self.lowering.literal(&Term::Int(0)), self.base());
                self.emit(Ins::Wait { dst: self.own(0), timeout, depth });
            }
            ("wait", [to]) => {
                let timeout = self.lowering.literal(&Term::atom("infinity"));
                self.wait(timeout, label_of(to)?);
            }
            ("wait_timeout", [to, timeout]) => {
                let timeout = self.src(timeout)?;
                self.wait(timeout, label_of(to)?);
            }
            ("raise", [_, args, _]) => {
                let [trace, reason] = items(args)? else { return None };
                let (trace, reason) = (self.src(trace)?, self.src(reason)?);
                self.emit(Ins::Raise { trace, reason });
            }
            ("raw_raise", []) => {
                let dst = Reg(2);
                self.emit(Ins::BuildTrace { dst, src: Src::reg(dst) });
                self.call_import(&Atom::new("erlang"), &Atom::new("raise"), 3, false)?;
            }
            ("build_stacktrace", []) => {
                let dst = Reg(0);
                self.emit(Ins::BuildTrace { dst, src: Src::reg(dst) });
            }
            ("if_end", []) => {
                let reason = self.lowering.literal(&Term::atom("if_clause"));
                self.emit(Ins::Fail { reason });
            }
            ("badmatch" | "case_end" | "try_case_end" | "badrecord", [value]) => {
                let kind = match name {
                    "case_end" => "case_clause",
                    "try_case_end" => "try_clause",
                    kind => kind,
                };
                let srcs = [self.lowering.literal(&Term::atom(kind)), self.src(value)?];
                let (args, dst) = (self.operands(&srcs), self.own(0));
                self.emit(Ins::Tuple { dst, n: 2, args });
                self.emit(Ins::Fail { reason: Src::reg(dst) });
            }
            _ => return None,
        }
        Some(None)
    }

    // Tests

    fn test(&mut self, name: &str, to: u32, args: &[Term]) -> Option<Guard> {
        let op = match name {
            "is_lt" => Some(Cmp::Less),
            "is_ge" => Some(Cmp::GreaterEqual),
            "is_eq" => Some(Cmp::Equal),
            "is_ne" => Some(Cmp::NotEqual),
            "is_eq_exact" => Some(Cmp::Same),
            "is_ne_exact" => Some(Cmp::NotSame),
            _ => None,
        };
        match (name, args) {
            (_, [a, b]) if let Some(op) = op => {
                let (a, b) = (self.src(a)?, self.src(b)?);
                self.emit(Ins::JumpUnless { op, a, b, to });
            }
            ("is_nonempty_list", [src]) => {
                let src = self.src(src)?;
                self.emit(Ins::IfCons { src, to });
            }
            ("is_nil", [src]) => {
                let src = self.src(src)?;
                self.emit(Ins::IfNil { src, to });
            }
            ("test_arity", [src, arity]) => {
                let (src, arity) = (self.src(src)?, natural(arity)?);
                self.emit(Ins::IfTuple { src, arity, to });
            }
            ("is_tagged_tuple", [src, arity, tag]) => {
                let (src, arity, own) = (self.src(src)?, natural(arity)?, self.own(0));
                let literal = self.src(tag)?;
                self.emit(Ins::IfTuple { src, arity, to });
                self.emit(Ins::GetElement { dst: own, src, place: 0 });
                self.emit(Ins::IfSame { src: Src::reg(own), literal, to });
            }
            ("has_map_fields", [src, keys @ ..]) => {
                let (map, dst) = (self.src(src)?, self.own(0));
                for key in keys {
                    let key = self.src(key)?;
                    self.emit(Ins::GetKey { dst, map, key, to });
                }
            }
            ("is_function2", [fun, arity]) => {
                let (srcs, dst) = ([self.src(fun)?, self.src(arity)?], self.own(0));
                self.guard_bif("is_function", &srcs, dst)?;
                self.emit(Ins::JumpUnlessTrue { src: Src::reg(dst), to });
                return Some(Some(to));
            }
            (_, [src]) => {
                let kind = match name {
                    "is_bitstr" => Kind::Bitstring,
                    _ => kind_test(name)?,
                };
                let src = self.src(src)?;
                self.emit(Ins::JumpUnlessKind { kind, src, to });
            }
            _ => return self.bits_test(name, to, args),
        }
        Some(None)
    }

    fn select(&mut self, src: &Term, default: u32, list: &[Term]) -> Option<()> {
        let mut table = SwitchTable { default, ..SwitchTable::default() };
        for pair in list.chunks(2) {
            let [value, to] = pair else { return None };
            let to = label_of(to)?;
            match value {
                Term::Int(arity) => table.tuples.push((u32::try_from(*arity).ok()?, to)),
                _ => match literal(value)? {
                    Term::Atom(atom) => {
                        let atom = self.lowering.world.atoms.intern(atom.as_str());
                        table.atoms.push((atom, to));
                    }
                    Term::Int(int) => table.ints.push((int, to)),
                    other => table.literals.push((self.lowering.literal(&other), to)),
                },
            }
        }
        table.atoms.sort_unstable_by_key(|it| it.0);
        table.ints.sort_unstable_by_key(|it| it.0);
        let src = self.src(src)?;
        self.lowering.program.switches.push(table);
        let table = address(self.lowering.program.switches.len() - 1);
        self.emit(Ins::Switch { src, table });
        Some(())
    }

    // Builtins and calls

    fn bif(&mut self, name: &str, to: u32, args: &[Term], dst: &Term) -> Option<Guard> {
        let (srcs, dst) = (self.srcs(args)?, self.reg(dst)?);
        match (name, srcs.as_slice()) {
            ("+", [a]) => self.emit(Ins::AddInt { dst, a: *a, b: 0 }),
            ("+", [a, b]) => self.emit(Ins::Add { dst, a: *a, b: *b }),
            ("-", [a, b]) => self.emit(Ins::Subtract { dst, a: *a, b: *b }),
            ("*", [a, b]) => self.emit(Ins::Multiply { dst, a: *a, b: *b }),
            (_, [a, b]) if let Some(op) = comparison(name) => {
                self.emit(Ins::Compare { op, dst, a: *a, b: *b });
            }
            (_, [src]) if let Some(kind) = kind_test(name) => {
                self.emit(Ins::IsKind { kind, dst, src: *src });
            }
            _ => {
                if self.guard_bif(name, &srcs, dst).is_none() {
                    let import = self.import(&Atom::new("erlang"), &Atom::new(name), srcs.len());
                    let (n, args) = (u8::try_from(srcs.len()).ok()?, self.operands(&srcs));
                    let base = self.base();
                    self.emit(Ins::CallImport { n, base, import, args });
                    self.emit(Ins::Move { dst, src: Src::reg(base) });
                }
            }
        }
        Some(guard(to))
    }

    fn guard_bif(&mut self, name: &str, srcs: &[Src], dst: Reg) -> Option<()> {
        self.native(&Atom::new("erlang"), &Atom::new(name), srcs, dst)
    }

    /// Emits a call of a builtin that computes its result immediately (`How::Native`); `None` for all other functions.
    fn native(&mut self, module: &Atom, name: &Atom, srcs: &[Src], dst: Reg) -> Option<()> {
        let builtin = self.builtin(module, name, srcs.len())?;
        let how = self.lowering.program.builtins.get(builtin.0 as usize)?.how;
        if !matches!(how, How::Native(_)) {
            return None;
        }
        match *srcs {
            [a] => self.emit(Ins::Builtin1 { dst, builtin, a }),
            [a, b] => self.emit(Ins::Builtin2 { dst, builtin, a, b }),
            _ => {
                let (n, args) = (u8::try_from(srcs.len()).ok()?, self.operands(srcs));
                self.emit(Ins::Builtin { n, dst, builtin, args });
            }
        }
        Some(())
    }

    fn builtin(&self, module: &Atom, name: &Atom, arity: usize) -> Option<crate::code::BuiltinId> {
        let atoms = &self.lowering.world.atoms;
        let key =
            (atoms.find(module.as_str())?, atoms.find(name.as_str())?, u32::try_from(arity).ok()?);
        self.lowering.program.builtin_ids.get(&key).copied()
    }

    fn import(&mut self, module: &Atom, name: &Atom, arity: usize) -> ImportId {
        let atoms = &mut self.lowering.world.atoms;
        let (module, name) = (atoms.intern(module.as_str()), atoms.intern(name.as_str()));
        let arity = address(arity);
        let program = &mut self.lowering.program;
        *program.import_ids.entry((module, name, arity)).or_insert_with(|| {
            program.imports.push(Import { module, name, arity, target: None.into() });
            ImportId(address(program.imports.len() - 1))
        })
    }

    fn call_import(&mut self, module: &Atom, name: &Atom, n: u32, is_tail: bool) -> Option<()> {
        // A builtin is never a tail call, because BEAM shows its caller in the stack trace.
        let srcs: Vec<Src> = (0..n).map(|it| Src::reg(Reg(as_u16(it)))).collect();
        if self.native(module, name, &srcs, Reg(0)).is_some() {
            if is_tail {
                self.emit(Ins::Return { src: Src::reg(Reg(0)) });
            }
            return Some(());
        }
        let import = self.import(module, name, n as usize);
        let (n, args, base) = (u8::try_from(n).ok()?, self.first_args(n), self.base());
        self.call(
            is_tail,
            Ins::TailImport { n, import, args },
            Ins::CallImport { n, base, import, args },
        );
        Some(())
    }

    fn call_fun(&mut self, fun: Src, n: u32) -> Option<()> {
        let (args, n, base) = (self.first_args(n), u8::try_from(n).ok()?, self.base());
        // BEAM has no instruction for a tail call of a fun; its loader detects the pattern in the same way.
        self.call(
            self.returns_next,
            Ins::TailFun { n, fun, args },
            Ins::CallFun { n, base, fun, args },
        );
        Some(())
    }

    fn call(&mut self, is_tail: bool, tail: Ins, call: Ins) {
        if is_tail {
            self.emit(tail);
            return;
        }
        self.emit(call);
        let src = Src::reg(self.base());
        self.emit(Ins::Move { dst: Reg(0), src });
    }

    fn wait(&mut self, timeout: Src, again: u32) {
        let (dst, depth) = (self.own(0), self.base());
        self.emit(Ins::Wait { dst, timeout, depth });
        self.emit(Ins::JumpUnlessTrue { src: Src::reg(dst), to: again });
    }

    fn line(&mut self, n: u32) {
        let place = (n as usize).checked_sub(1).and_then(|it| self.assembly.lines.get(it));
        let here = self.here();
        self.lowering.place(here, place.copied().unwrap_or_default());
    }

    // Operands

    /// The first `n` x registers as operands.
    fn first_args(&mut self, n: u32) -> u32 {
        let srcs: Vec<Src> = (0..n).map(|it| Src::reg(Reg(as_u16(it)))).collect();
        self.operands(&srcs)
    }

    fn srcs(&mut self, terms: &[Term]) -> Option<Vec<Src>> {
        terms.iter().map(|it| self.src(it)).collect()
    }

    pub(super) fn src(&mut self, term: &Term) -> Option<Src> {
        match self.reg(term) {
            Some(reg) => Some(Src::reg(reg)),
            None => Some(self.lowering.literal(&literal(term)?)),
        }
    }

    pub(super) fn reg(&self, term: &Term) -> Option<Reg> {
        match term.as_tuple()? {
            [tag, n] => match tag.as_atom()? {
                "x" => Some(Reg(as_u16(natural(n)?))),
                "y" => Some(self.y(natural(n)?)),
                "fr" => Some(self.float(natural(n)?)),
                _ => None,
            },
            [tag, reg, _] if tag.as_atom() == Some("tr") => self.reg(reg),
            _ => None,
        }
    }

    fn move_literal(&mut self, dst: Reg, term: &Term) {
        let src = self.lowering.literal(term);
        self.emit(Ins::Move { dst, src });
    }
}

fn guard(label: u32) -> Guard {
    (label != 0).then_some(label)
}

/// The items of `{list, Items}`, or of a plain list.
pub(super) fn items(term: &Term) -> Option<&[Term]> {
    match term.as_tuple() {
        Some([tag, list]) if tag.as_atom() == Some("list") => list.as_list(),
        None | Some(_) => term.as_list(),
    }
}

fn literal(term: &Term) -> Option<Term> {
    if term.as_atom() == Some("nil") {
        return Some(Term::Nil);
    }
    let [tag, value] = term.as_tuple()? else { return None };
    let is_value = matches!(tag.as_atom()?, "atom" | "integer" | "i" | "u" | "float" | "literal");
    is_value.then(|| value.clone())
}

fn atom_operand(term: &Term) -> Option<Atom> {
    literal(term).as_ref().and_then(atom)
}
