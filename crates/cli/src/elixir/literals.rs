//! Literals of structs of Elixir's standard library: ranges, dates and times, sets.

use crate::elixir::read::structure;
use std::fmt::Write;
use term::Term;

/// Returns the literal of a struct with these fields, or the call that makes it; `None` if it has neither.
pub(super) fn text(
    module: &str,
    fields: &[(Term, Term)],
    show: impl Fn(&Term) -> String,
) -> Option<String> {
    let fields = Fields(fields);
    match module {
        "Elixir.Range" if fields.0.len() == 3 => {
            range(fields.int("first")?, fields.int("last")?, fields.int("step")?)
        }
        "Elixir.Date" if fields.0.len() == 4 && fields.is_iso() => {
            Some(format!("~D[{}]", fields.date()?))
        }
        "Elixir.Time" if fields.0.len() == 5 && fields.is_iso() => {
            Some(format!("~T[{}]", fields.time()?))
        }
        "Elixir.NaiveDateTime" if fields.0.len() == 8 && fields.is_iso() => {
            Some(format!("~N[{} {}]", fields.date()?, fields.time()?))
        }
        "Elixir.DateTime" if fields.0.len() == 12 && fields.is_iso() && fields.is_utc() => {
            Some(format!("~U[{} {}Z]", fields.date()?, fields.time()?))
        }
        "Elixir.MapSet" if fields.0.len() == 2 && fields.int("version") == Some(2) => {
            let Term::Map(members) = fields.get("map")? else { return None };
            let is_set = members.iter().all(|it| it.1 == Term::Nil);
            let members: Vec<String> = members.iter().map(|it| show(&it.0)).collect();
            is_set.then(|| format!("MapSet.new([{}])", members.join(", ")))
        }
        _ => None,
    }
}

/// Returns the literal of the value that a constructor makes from these arguments; `None` if there is none.
pub(super) fn made(module: &str, function: &str, args: &[&Term]) -> Option<String> {
    let numbers: Option<Vec<i64>> = args.iter().map(|it| it.as_int()).collect();
    match (module, function, numbers?.as_slice()) {
        ("Elixir.Range", "new", [first, last]) => {
            range(*first, *last, if first <= last { 1 } else { -1 })
        }
        ("Elixir.Range", "new", [first, last, step]) => range(*first, *last, *step),
        ("Elixir.Date", "new!", [year, month, day]) => {
            Some(format!("~D[{}]", date(*year, *month, *day)?))
        }
        ("Elixir.Time", "new!", [hour, minute, second]) => {
            Some(format!("~T[{}]", time(*hour, *minute, *second)?))
        }
        ("Elixir.NaiveDateTime", "new!", [year, month, day, hour, minute, second]) => {
            Some(format!("~N[{} {}]", date(*year, *month, *day)?, time(*hour, *minute, *second)?))
        }
        _ => None,
    }
}

/// Reads a `Date`: `2024-02-29`.
pub(super) fn date_of(text: &str) -> Option<Term> {
    Some(structure("Date", with_calendar(date_fields(text)?)))
}

/// Reads a `Time`: `23:00:07.000120`.
pub(super) fn time_of(text: &str) -> Option<Term> {
    Some(structure("Time", with_calendar(time_fields(text)?)))
}

/// Reads a `NaiveDateTime`: `2024-02-29 23:00:07`.
pub(super) fn naive_of(text: &str) -> Option<Term> {
    Some(structure("NaiveDateTime", with_calendar(both_fields(text)?)))
}

/// Reads a `DateTime` in UTC: `2024-02-29 23:00:07Z`.
pub(super) fn utc_of(text: &str) -> Option<Term> {
    let mut fields = both_fields(text.strip_suffix('Z')?)?;
    let name = |it: &str| Term::binary(it.as_bytes().to_vec());
    fields.extend([("time_zone", name("Etc/UTC")), ("zone_abbr", name("UTC"))]);
    fields.extend([("utc_offset", Term::Int(0)), ("std_offset", Term::Int(0))]);
    Some(structure("DateTime", with_calendar(fields)))
}

type NamedFields = Vec<(&'static str, Term)>;

fn with_calendar(mut fields: NamedFields) -> NamedFields {
    fields.push(("calendar", Term::atom("Elixir.Calendar.ISO")));
    fields
}

fn both_fields(text: &str) -> Option<NamedFields> {
    let (date, time) = text.split_once([' ', 'T'])?;
    let mut fields = date_fields(date)?;
    fields.extend(time_fields(time)?);
    Some(fields)
}

fn date_fields(text: &str) -> Option<NamedFields> {
    let [year, month, day] = parts(text, '-')?;
    (date(year, month, day)? == text).then_some(())?;
    let fields = [("year", year), ("month", month), ("day", day)];
    Some(fields.into_iter().map(|(name, it)| (name, Term::Int(it))).collect())
}

fn time_fields(text: &str) -> Option<NamedFields> {
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    let [hour, minute, second] = parts(whole, ':')?;
    (time(hour, minute, second)? == whole && digits.len() <= 6).then_some(())?;
    let micro: i64 = format!("{digits:0<6}").parse().ok()?;
    let precision = i64::try_from(digits.len()).ok()?;
    let fields = [("hour", hour), ("minute", minute), ("second", second)];
    let mut res: NamedFields = fields.into_iter().map(|(name, it)| (name, Term::Int(it))).collect();
    res.push(("microsecond", Term::Tuple(vec![Term::Int(micro), Term::Int(precision)])));
    Some(res)
}

fn parts(text: &str, between: char) -> Option<[i64; 3]> {
    let parts: Vec<i64> = text.split(between).map(|it| it.parse().ok()).collect::<Option<_>>()?;
    parts.try_into().ok()
}

fn range(first: i64, last: i64, step: i64) -> Option<String> {
    match step {
        0 => None,
        1 => Some(format!("{first}..{last}")),
        _ => Some(format!("{first}..{last}//{step}")),
    }
}

fn date(year: i64, month: i64, day: i64) -> Option<String> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return None,
    };
    let is_there = (0..=9999).contains(&year) && (1..=last).contains(&day);
    is_there.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

fn time(hour: i64, minute: i64, second: i64) -> Option<String> {
    let is_there =
        [(hour, 23), (minute, 59), (second, 59)].iter().all(|it| (0..=it.1).contains(&it.0));
    is_there.then(|| format!("{hour:02}:{minute:02}:{second:02}"))
}

struct Fields<'t>(&'t [(Term, Term)]);

impl Fields<'_> {
    fn get(&self, name: &str) -> Option<&Term> {
        self.0.iter().find(|it| it.0.as_atom() == Some(name)).map(|it| &it.1)
    }

    fn int(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_int()
    }

    fn is_iso(&self) -> bool {
        self.get("calendar").and_then(Term::as_atom) == Some("Elixir.Calendar.ISO")
    }

    fn is_utc(&self) -> bool {
        let text = |name: &str| self.get(name).and_then(Term::as_bytes);
        [self.int("utc_offset"), self.int("std_offset")] == [Some(0), Some(0)]
            && text("time_zone") == Some(b"Etc/UTC")
            && text("zone_abbr") == Some(b"UTC")
    }

    fn date(&self) -> Option<String> {
        date(self.int("year")?, self.int("month")?, self.int("day")?)
    }

    /// The time with as many decimals as its precision says. `None` if the precision hides non-zero digits.
    fn time(&self) -> Option<String> {
        let mut res = time(self.int("hour")?, self.int("minute")?, self.int("second")?)?;
        let [Term::Int(micro), Term::Int(precision)] = self.get("microsecond")?.as_tuple()? else {
            return None;
        };
        let precision = usize::try_from(*precision).ok().filter(|it| *it <= 6)?;
        let digits = format!("{micro:06}");
        let (shown, rest) = digits.split_at_checked(precision)?;
        let is_exact = (0..1_000_000).contains(micro) && rest.bytes().all(|it| it == b'0');
        if precision > 0 {
            write!(res, ".{shown}").ok()?;
        }
        is_exact.then_some(res)
    }
}

#[cfg(test)]
mod tests {
    use crate::elixir::term;
    use term::read_term;

    #[test]
    fn dates_and_times_that_exist_are_sigils() {
        let check = |fields: &str, expect: &str| {
            let text = format!("#{{calendar => 'Elixir.Calendar.ISO',{fields}}}");
            assert_eq!(term(&read_term(&text).expect("a term")), expect);
        };
        let date = "'__struct__' => 'Elixir.Date',year => 2024,month => 2";
        check(&format!("{date},day => 29"), "~D[2024-02-29]");
        check(
            &format!("{date},day => 30"),
            "%Date{calendar: Calendar.ISO, day: 30, month: 2, year: 2024}",
        );
        let time = "'__struct__' => 'Elixir.Time',hour => 23,minute => 0,second => 7";
        check(&format!("{time},microsecond => {{0,0}}"), "~T[23:00:07]");
        check(&format!("{time},microsecond => {{120,6}}"), "~T[23:00:07.000120]");
    }
}
