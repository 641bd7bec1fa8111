//! Recognises crashes due to a function in the input for which the spec states neither arity nor result: such a
//! function is made up, while callers pass functions that fit.

use crate::erlang::finding::Judge;
use crate::erlang::frames::{Frame, frames};
use crate::erlang::level::is_of_runtime;
use crate::erlang::unit::quoted;
use engine::{Form, Part};
use term::{Domain, Fun, Term, Type, TypeId, Types};
use trace::{Input, Outcome};

impl Judge<'_> {
    /// Describes what the spec leaves open about the function that a crash depends on.
    pub(crate) fn unsaid_of_function(
        &self,
        input: &Input,
        outcome: &Outcome,
        decided_by: &[Part],
    ) -> Option<String> {
        let Outcome::Crash { reason, trace, .. } = outcome else { return None };
        if let Some(why) = self.unsaid_in_call(input, reason, trace) {
            return Some(why);
        }
        if let Some(called) = called_with_wrong_number(reason) {
            let is_it = |it: &Term| matches!(it, Term::Fun(fun) if **fun == *called);
            let n = input.args.iter().position(|it| it.has_part(is_it))?;
            let is_unsaid = !self.has_functions_of(usize::from(called.arity()));
            let why =
                format!("no spec says how many arguments the function in argument {} takes", n + 1);
            return is_unsaid.then_some(why);
        }
        if !is_of_runtime(reason) && reason.as_atom() != Some("badarg") {
            return None;
        }
        let part = decided_by.iter().find(|it| matches!(it.form, Form::Function { .. }))?;
        let types = &self.contract.domain.types;
        let mut at = self.contract.types_at(&part.place).into_iter();
        let is_unsaid = !at.any(|it| says_what_it_returns(types, it));
        is_unsaid.then(|| format!("no spec says what the function returns that is {}", part.place))
    }

    /// Explains a `function_clause` error of a function outside of the project that was given a function from the
    /// input whose number of arguments no spec states. The failing call may have been made by another process. `None`
    /// if the crash is not of this form.
    fn unsaid_in_call(&self, input: &Input, reason: &Term, trace: &Term) -> Option<String> {
        let Domain { types, .. } = &self.contract.domain;
        let is_said = |id, it: &Term| {
            let Term::Fun(fun) = it else { return false };
            matches!(types.get(id), Type::Fun { args: Some(args), .. }
                if args.len() == usize::from(fun.arity()))
        };
        let is_unsaid = |given: &Term| {
            matches!(given, Term::Fun(_))
                && input.args.iter().any(|it| it.has_part(|it| it == given))
                && !self.contract.has_part(input, &|id, it| it == given && is_said(id, it))
        };
        refused_calls(reason, trace)
            .into_iter()
            .filter(|it| !self.modules.contains(&it.module))
            .find(|it| it.args.iter().flatten().any(is_unsaid))
            .map(|it| {
                let called =
                    format!("{}:{}/{}", quoted(&it.module), quoted(&it.function), it.arity);
                format!(
                    "no spec says how many arguments the function takes that {called} does not take"
                )
            })
    }

    /// Explains a result that breaks the spec: a function in the input returned it, and the spec does not state the
    /// result of that function. `None` if this is not the reason.
    pub(crate) fn made_up_result(&self, input: &Input, value: &Term) -> Option<String> {
        let returns = |it: &Term| {
            let Term::Fun(fun) = it else { return false };
            match &**fun {
                Fun::Table { entries, default, .. } => {
                    default == value || entries.iter().any(|it| it.1 == *value)
                }
                Fun::External { .. } | Fun::Closure { .. } => false,
            }
        };
        let n = input.args.iter().position(|it| it.has_part(returns))?;
        let Domain { types, .. } = &self.contract.domain;
        let is_said = |of, it: &Term| says_what_it_returns(types, of) && returns(it);
        (!self.contract.has_part(input, &is_said)).then(|| {
            format!(
                "the function in argument {} returned it, of which no spec says what it returns",
                n + 1
            )
        })
    }

    /// Whether the spec has a function type of this arity.
    fn has_functions_of(&self, arity: usize) -> bool {
        let types = &self.contract.domain.types;
        let n_types = u32::try_from(types.len()).unwrap_or(u32::MAX);
        (0..n_types).any(|it| {
            matches!(types.get(TypeId(it)), Type::Fun { args: Some(args), .. } if args.len() == arity)
        })
    }
}

/// Whether a type is a function type with a specified result.
fn says_what_it_returns(types: &Types, id: TypeId) -> bool {
    let Type::Fun { result, .. } = types.get(id) else { return false };
    !matches!(types.get(*result), Type::Any)
}

/// Returns the topmost frames of the calls that matched no clause: those of `function_clause` errors, also of errors
/// within the reason of an exit.
fn refused_calls(reason: &Term, trace: &Term) -> Vec<Frame> {
    let is_it = |it: &Term| it.as_atom() == Some("function_clause");
    let mut stacks = if is_it(reason) { vec![trace] } else { Vec::new() };
    let mut todo = vec![reason];
    while let Some(term) = todo.pop() {
        let Some(parts) = term.as_tuple() else { continue };
        if let [tag, stack] = parts
            && is_it(tag)
        {
            stacks.push(stack);
        }
        todo.extend(parts);
    }
    stacks.into_iter().filter_map(|it| frames(it).into_iter().next()).collect()
}

/// The function of `{badarity, {Fun, Args}}`.
fn called_with_wrong_number(reason: &Term) -> Option<&Fun> {
    let [tag, called] = reason.as_tuple()? else { return None };
    let [Term::Fun(fun), _] = called.as_tuple()? else { return None };
    (tag.as_atom() == Some("badarity")).then_some(&**fun)
}
