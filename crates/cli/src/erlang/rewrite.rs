//! Changes the code of modules before they are loaded: makes functions run concretely, and exports functions that we
//! have to call.

use crate::diagnostic::Diagnostic;
use crate::erlang::code::functions;
use crate::erlang::project::Project;
use crate::erlang::select::parse;
use crate::erlang::trouble::{host_trouble, no_function_named};
use crate::erlang::unit::{UnitName, quoted};
use crate::explain::Code;
use erlang::{Host, ModuleCode};
use std::sync::Arc;
use term::{Atom, Term};

/// A module, or one function of it.
struct Selection {
    module: Atom,
    function: Option<(Atom, i64)>,
}

impl Project {
    /// Rewrites the modules and functions that `--concrete` names so that they get their arguments without shadows.
    pub(crate) fn make_concrete(&mut self, names: &[String]) -> Result<(), Diagnostic> {
        for name in names {
            let selection = selection(name).ok_or_else(|| {
                Diagnostic::new(Code::BadUnit, format!("{name} is no module or function"))
                    .hint("write module or module:function/arity, as in lists:sort/1")
            })?;
            let known = self.modules.iter_mut().map(|it| &mut it.code).chain(&mut self.helpers);
            if let Some(code) = known.into_iter().find(|it| it.name == selection.module) {
                *code = Arc::new(concrete(code, &selection)?);
                continue;
            }
            let trouble = |error| host_trouble(&error, || self.host());
            let mut host = self.host().map_err(trouble)?;
            let code = host.load(&selection.module).map_err(trouble)?;
            self.helpers.push(Arc::new(concrete(&code, &selection)?));
        }
        Ok(())
    }

    /// Exports a function of a module under test. Returns whether the function exists.
    pub(crate) fn open(&mut self, unit: &UnitName) -> bool {
        let arity = i64::try_from(unit.arity).unwrap_or(i64::MAX);
        let module = self.modules.iter_mut().find(|it| it.name == unit.module);
        let Some(module) = module else { return false };
        let is_it = |name: &Atom, of: i64| *name == unit.function && of == arity;
        if !module.functions.iter().any(|it| is_it(&it.name, it.arity)) {
            return false;
        }
        let mut code = (*module.code).clone();
        if let Term::Tuple(parts) = &mut code.core
            && let Some(exports) = parts.get_mut(3)
        {
            let name = Term::Tuple(vec![Term::Atom(unit.function.clone()), Term::Int(arity)]);
            let mut names = exports.as_list().unwrap_or_default().to_vec();
            names.push(Term::Tuple(vec![Term::atom("c_var"), Term::Nil, name]));
            *exports = Term::proper_list(names);
        }
        module.code = Arc::new(code);
        true
    }
}

fn selection(text: &str) -> Option<Selection> {
    if let Some((Some(module), function, arity)) = parse(text) {
        return Some(Selection { module, function: Some((function, arity)) });
    }
    // A module's name is parsed as part of a function's name.
    let (module, _, _) = parse(&format!("{text}:f/0"))?;
    Some(Selection { module: module?, function: None })
}

fn concrete(code: &ModuleCode, selection: &Selection) -> Result<ModuleCode, Diagnostic> {
    if let Some((function, arity)) = &selection.function {
        let is_it = |it: &crate::erlang::code::Function| it.name == *function && it.arity == *arity;
        if !functions(code).iter().any(is_it) {
            let missing =
                format!("there is no {}:{}/{arity}", quoted(&code.name), quoted(function));
            let missing = Diagnostic::new(Code::NoFunction, missing);
            return Err(no_function_named(code, function, *arity).unwrap_or(missing));
        }
    }
    let exported = functions(code);
    let is_chosen = |name: &Term| {
        let Some([Term::Atom(name), arity]) = name.as_tuple() else { return false };
        match &selection.function {
            Some((function, of)) => name == function && arity.as_int() == Some(*of),
            // Calls from other modules go to exported functions.
            None => exported.iter().any(|it| {
                let is_exported = it.visibility == crate::erlang::code::Visibility::Exported;
                is_exported && it.name == *name && arity.as_int() == Some(it.arity)
            }),
        }
    };
    let mut code = code.clone();
    if let Term::Tuple(parts) = &mut code.core
        && let Some(definitions) = parts.get_mut(5)
    {
        let all = definitions.as_list().unwrap_or_default().iter();
        let all = all.map(|it| definition(it, &is_chosen).unwrap_or_else(|| it.clone()));
        *definitions = Term::proper_list(all.collect());
    }
    Ok(code)
}

/// Rewrites `fun (A1, …) -> Body` to `fun (B1, …) -> let <A1, …> = <same(B1), …> in Body`.
fn definition(term: &Term, is_chosen: &dyn Fn(&Term) -> bool) -> Option<Term> {
    let [variable, fun] = term.as_tuple()? else { return None };
    let [_, _, name] = variable.as_tuple()? else { return None };
    let [kind, anno, vars, body] = fun.as_tuple()? else { return None };
    let n_vars = vars.as_list()?.len();
    if !is_chosen(name) || n_vars == 0 {
        return None;
    }
    let node = |kind: &str, parts: Vec<Term>| {
        Term::Tuple([Term::atom(kind), Term::Nil].into_iter().chain(parts).collect())
    };
    let taken = |n: usize| node("c_var", vec![Term::atom(&format!("gimlet${n}"))]);
    // Converting a value to bytes and back drops its shadow.
    let through = |name: &str, arg: Term| {
        let literal = |text: &str| node("c_literal", vec![Term::atom(text)]);
        let args = Term::proper_list(vec![arg]);
        node("c_call", vec![literal("erlang"), literal(name), args])
    };
    let same = |n: usize| through("binary_to_term", through("term_to_binary", taken(n)));
    let values: Vec<Term> = (0..n_vars).map(same).collect();
    let value = match values.as_slice() {
        [one] => one.clone(),
        _ => node("c_values", vec![Term::proper_list(values)]),
    };
    let body = node("c_let", vec![vars.clone(), value, body.clone()]);
    let vars = Term::proper_list((0..n_vars).map(taken).collect());
    let fun = Term::Tuple(vec![kind.clone(), anno.clone(), vars, body]);
    Some(Term::Tuple(vec![variable.clone(), fun]))
}
