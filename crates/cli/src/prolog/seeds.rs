//! Makes seeds other than the smallest input: lists of two, texts of two letters, lists and texts of lengths in the
//! source, texts of words in the source, and lists in the source.
//!
//! A condition on two texts of equal length, or on the second item of a list, is many flips away from the smallest
//! input, and one on a text of ten digits too many.

use prolog::concolic::Inference;
use term::{Kind, Term, Type, TypeId, Types};
use trace::Input;

/// The size of lists and texts.
#[derive(Clone, Debug)]
struct Size {
    n_items: usize,
    text: String,
    /// A list of the program, used where its type fits.
    list: Option<Term>,
}

impl Size {
    fn new(n_items: usize, text: &str) -> Size {
        Size { n_items, text: text.to_owned(), list: None }
    }
}

/// How many of the lengths in the source are used; the longest first.
const MAX_LENGTHS: usize = 2;
/// The maximum length of a text of words, in bytes.
const MAX_TEXT: usize = 80;

/// Members of the type with the lengths that the source mentions, one with its words, and one for each of its lists.
pub(crate) fn sized(types: &Types, id: TypeId, of: &Inference) -> Vec<Input> {
    let lengths = of.lengths.iter().rev().take(MAX_LENGTHS);
    // A text of one more character may have a separator or a sign.
    let lengths = lengths.flat_map(|it| [*it, *it + 1]);
    let mut sizes: Vec<Size> = lengths.map(|it| Size::new(it, &"1".repeat(it))).collect();
    let words: Vec<&str> =
        of.texts.iter().map(|it| it.trim()).filter(|it| !it.is_empty()).collect();
    let text = words.join(" ");
    if text.len() <= MAX_TEXT && 1 < words.len() {
        sizes.push(Size::new(2, &text));
    }
    sizes.extend(of.lists.iter().map(|it| Size { list: Some(it.clone()), ..Size::new(2, "ab") }));
    let mut res: Vec<Input> = Vec::new();
    for size in &sizes {
        let Some(first) = self::of(types, id, size, 0).as_ref().and_then(input) else { continue };
        // The operation on a list of the program may depend on a constant in another argument.
        let others = if size.list.is_some() { with_words(types, id, &first) } else { Vec::new() };
        for input in [first].into_iter().chain(others) {
            if !res.contains(&input) {
                res.push(input);
            }
        }
    }
    res
}

/// The maximum number of variants of an input with a list of the program.
const MAX_WORDS: usize = 16;

/// Variants of the input with each constant that one of its arguments may be.
fn with_words(types: &Types, id: TypeId, first: &Input) -> Vec<Input> {
    let Type::Tuple(args) = types.get(id) else { return Vec::new() };
    let words = args.iter().enumerate().flat_map(|(n, arg)| {
        let parts: &[TypeId] = if let Type::Union(parts) = types.get(*arg) { parts } else { &[] };
        let literal = |it: &TypeId| {
            if let Type::Literal(word) = types.get(*it) { Some(word) } else { None }
        };
        let words = parts.iter().filter_map(literal).filter(|it| it.as_atom().is_some());
        words.map(move |word| (n, word)).collect::<Vec<_>>()
    });
    let with = |(n, word): (usize, &Term)| {
        let mut input = first.clone();
        input.args.get_mut(n).map(|it| *it = word.clone()).map(|()| input)
    };
    words.take(MAX_WORDS).filter_map(with).collect()
}

fn input(of: &Term) -> Option<Input> {
    Some(Input { args: of.as_tuple()?.to_vec() })
}

/// Lists and compounds nested deeper than this are as small as possible.
const MAX_DEPTH: usize = 3;

/// A member of the type of moderate size; `None` if it has none.
pub(crate) fn medium(types: &Types, id: TypeId) -> Option<Term> {
    of(types, id, &Size::new(2, "ab"), 0)
}

fn of(types: &Types, id: TypeId, size: &Size, depth: usize) -> Option<Term> {
    if MAX_DEPTH < depth {
        return types.smallest(id);
    }
    match types.get(id) {
        Type::Kind(Kind::Integer | Kind::Number) => Some(Term::Int(2)),
        Type::Kind(Kind::Atom) => Some(Term::atom(&size.text)),
        Type::Kind(Kind::Binary | Kind::Bitstring) => {
            Some(Term::binary(size.text.clone().into_bytes()))
        }
        Type::List { item, tail, .. } => {
            if let Some(list) = size.list.as_ref().filter(|it| types.has(id, it)) {
                return Some(list.clone());
            }
            // The items of a longer list are small.
            let small = Size::new(2, "ab");
            let inner = if 2 < size.n_items { &small } else { size };
            let (item, tail) = (of(types, *item, inner, depth + 1)?, types.smallest(*tail)?);
            Some(Term::list(vec![item; size.n_items], tail))
        }
        Type::Tuple(items) => {
            let items = items.iter().map(|it| of(types, *it, size, depth + 1));
            items.collect::<Option<Vec<Term>>>().map(Term::Tuple)
        }
        Type::Union(parts) => {
            let best = parts.iter().max_by_key(|it| rank(types.get(**it)))?;
            of(types, *best, size, depth)
        }
        Type::Any
        | Type::None
        | Type::Kind(_)
        | Type::Literal(_)
        | Type::Range { .. }
        | Type::Map(_)
        | Type::Bits { .. }
        | Type::Fun { .. } => types.smallest(id),
    }
}

/// Ranks the parts of a union by how much structure their members have.
fn rank(of: &Type) -> u8 {
    match of {
        Type::List { .. } => 4,
        Type::Kind(Kind::Binary | Kind::Bitstring) => 3,
        Type::Tuple(_) => 2,
        Type::Kind(Kind::Atom | Kind::Integer | Kind::Number) | Type::Range { .. } => 1,
        Type::Any
        | Type::None
        | Type::Kind(_)
        | Type::Literal(_)
        | Type::Map(_)
        | Type::Bits { .. }
        | Type::Fun { .. }
        | Type::Union(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::medium;
    use term::{Kind, Term, Type, Types};

    #[test]
    fn a_list_has_two_items() {
        let mut types = Types::default();
        let item = types.add(Type::Kind(Kind::Binary));
        let tail = types.add(Type::Literal(Term::Nil));
        let list = types.add(Type::List { item, tail, may_be_empty: true });
        let text = Term::binary(b"ab".to_vec());
        let expect = Term::list(vec![text.clone(), text], Term::Nil);
        assert_eq!(medium(&types, list), Some(expect));
    }
}
