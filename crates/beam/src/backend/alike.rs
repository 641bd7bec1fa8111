//! The comparison of results of two runtimes.

use term::{Fun, List, Term};

/// Whether two terms are equal up to funs, pids, ports and references, which differ between runtimes, also where a text
/// contains them.
pub fn is_alike(ours: &Term, theirs: &Term) -> bool {
    match (ours, theirs) {
        (Term::List(our), Term::List(their)) if is_stack(our) && is_stack(their) => {
            are_alike_stacks(&our.items, above_us(&their.items))
        }
        (Term::List(our), Term::List(their)) => {
            are_alike(&our.items, &their.items) && is_alike(&our.tail, &their.tail)
                || is_same_text(ours, theirs)
        }
        (Term::Bits(_), Term::Bits(_)) => ours == theirs || is_same_text(ours, theirs),
        (Term::Tuple(ours), Term::Tuple(theirs)) => are_alike(ours, theirs),
        (Term::Map(ours), Term::Map(theirs)) => {
            let pair = |it: &((Term, Term), (Term, Term))| {
                is_alike(&it.0.0, &it.1.0) && is_alike(&it.0.1, &it.1.1)
            };
            let mut pairs = ours.iter().cloned().zip(theirs.iter().cloned());
            ours.len() == theirs.len() && pairs.all(|it| pair(&it))
        }
        (Term::Fun(ours), Term::Fun(theirs)) => match (&**ours, &**theirs) {
            (Fun::External { .. }, Fun::External { .. }) => ours == theirs,
            _ => ours.arity() == theirs.arity(),
        },
        (Term::Pid(_), Term::Pid(_))
        | (Term::Port(_), Term::Port(_))
        | (Term::Ref(_), Term::Ref(_)) => true,
        _ => ours == theirs,
    }
}

/// The modules of the tool that call the program under test on BEAM.
const CALLERS: [&str; 3] = ["gimlet_agent", "gimlet_token", "gimlet_nodes"];

/// Whether a list is the stack trace of an exception, which a program may store.
fn is_stack(list: &List) -> bool {
    let is_frame = |it: &Term| match it.as_tuple() {
        Some([Term::Atom(_), Term::Atom(_), Term::Int(_), place]) => place.as_list().is_some(),
        Some([Term::Atom(_), Term::Atom(_), args, place]) => {
            args.as_list().is_some() && place.as_list().is_some()
        }
        _ => false,
    };
    list.tail == Term::Nil && list.items.iter().all(is_frame)
}

/// Whether the frames of the shorter stack are among those of the longer one, in the same order. The other runtime
/// omits the additional frames because of tail calls or inlining.
fn are_alike_stacks(ours: &[Term], theirs: &[Term]) -> bool {
    let (fewer, more) = if ours.len() < theirs.len() { (ours, theirs) } else { (theirs, ours) };
    let mut rest = more.iter();
    let is_there = |frame: &Term| rest.any(|it| is_alike(frame, it));
    fewer.is_empty() == more.is_empty() && fewer.iter().all(is_there)
}

fn is_ours(frame: &Term) -> bool {
    let module = frame.as_tuple().filter(|it| it.len() == 4).and_then(|it| it.first()?.as_atom());
    module.is_some_and(|it| CALLERS.contains(&it))
}

/// Returns the frames above those of the tool.
fn above_us(stack: &[Term]) -> &[Term] {
    let end = stack.iter().position(is_ours).unwrap_or(stack.len());
    stack.get(..end).unwrap_or(stack)
}

fn are_alike(ours: &[Term], theirs: &[Term]) -> bool {
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|it| is_alike(it.0, it.1))
}

/// Whether two texts differ only in the numbers of pids, ports and references, as in `<0.80.0>`.
fn is_same_text(ours: &Term, theirs: &Term) -> bool {
    let (ours, theirs) = (without_handles(ours), without_handles(theirs));
    ours.is_some() && ours == theirs
}

/// Returns the characters of a text without the numbers of pids, ports and references; `None` if it contains none.
fn without_handles(text: &Term) -> Option<Vec<i64>> {
    let chars: Vec<i64> = match text {
        Term::Bits(bits) => bits.as_bytes()?.iter().map(|it| i64::from(*it)).collect(),
        other => other.as_list()?.iter().map(Term::as_int).collect::<Option<_>>()?,
    };
    let is_digit = |it: &&i64| (48..58).contains(*it) || **it == DOT;
    let mut res = Vec::with_capacity(chars.len());
    let mut rest = chars.as_slice();
    while let Some((first, behind)) = rest.split_first() {
        res.push(*first);
        let n_digits = behind.iter().take_while(is_digit).count();
        let is_handle = *first == LESS && n_digits > 0 && behind.get(n_digits) == Some(&MORE);
        rest = behind.get(if is_handle { n_digits } else { 0 }..)?;
    }
    (res.len() < chars.len()).then_some(res)
}

const DOT: i64 = 46;
const LESS: i64 = 60;
const MORE: i64 = 62;

#[cfg(test)]
mod tests {
    use super::is_alike;
    use term::read_term;

    fn check(ours: &str, theirs: &str, expect: bool) {
        let term = |it: &str| read_term(it).expect("a term");
        assert_eq!(is_alike(&term(ours), &term(theirs)), expect, "{ours} and {theirs}");
    }

    #[test]
    fn frames_of_our_own_are_none_of_the_program() {
        let below = "{gimlet_agent,answer,1,[{file,\"x\"},{line,1}]}";
        check("{x,[{m,f,1,[]}]}", &format!("{{x,[{{m,f,1,[]}},{below}]}}"), true);
        check("{x,[{m,g,1,[]}]}", &format!("{{x,[{{m,f,1,[]}},{below}]}}"), false);
        check("{x,[]}", &format!("{{x,[{{m,f,1,[]}},{below}]}}"), false);
        let (native, own, other) = ("{erlang,hd,[x],[]}", "{m,f,1,[]}", "{m,g,1,[]}");
        check(&format!("[{native},{own}]"), &format!("[{native}]"), true);
        check(&format!("[{native}]"), &format!("[{native},{own},{below}]"), true);
        check(&format!("[{native},{own}]"), &format!("[{native},{other}]"), false);
    }

    #[test]
    fn numbers_of_handles_do_not_matter() {
        check("{a, <<\"no <0.80.0> here\">>}", "{a, <<\"no <0.1234.0> here\">>}", true);
        check("\"<0.80.0>\"", "\"<0.1.0>\"", true);
        check("<<\"no <0.80.0> here\">>", "<<\"no <0.80.0> there\">>", false);
        check("<<\"1\">>", "<<\"2\">>", false);
        check("[1,2]", "[1,3]", false);
    }
}
