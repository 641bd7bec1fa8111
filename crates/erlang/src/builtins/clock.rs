//! Clock readings, dates, and unique integers.
//!
//! All times come from the machine's virtual clock, so that a run can be repeated. The time zone is UTC.

use crate::builtins::arithmetic::arg;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside, pure};
use crate::machine::World;
use num_bigint::BigInt;
use num_integer::Integer;
use values::{AtomId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    inside("erlang", "monotonic_time", 0, Shares::Clock, OnBeam::Noted, |w, _| {
        Ok(Value::int(monotonic(w)))
    })
    .environment(),
    inside("erlang", "monotonic_time", 1, Shares::Clock, OnBeam::Noted, |w, args| {
        in_unit(w, monotonic(w), arg(args, 0))
    })
    .environment(),
    inside("erlang", "system_time", 0, Shares::Clock, OnBeam::Noted, |w, _| {
        Ok(Value::int(system(w)))
    })
    .environment(),
    inside("erlang", "system_time", 1, Shares::Clock, OnBeam::Noted, |w, args| {
        in_unit(w, system(w), arg(args, 0))
    })
    .environment(),
    inside("os", "system_time", 0, Shares::Clock, OnBeam::Noted, |w, _| Ok(Value::int(system(w))))
        .environment(),
    inside("os", "system_time", 1, Shares::Clock, OnBeam::Noted, |w, args| {
        in_unit(w, system(w), arg(args, 0))
    })
    .environment(),
    inside("os", "perf_counter", 0, Shares::Clock, OnBeam::Noted, |w, _| {
        Ok(Value::int(since_begin(w)))
    })
    .environment(),
    inside("erlang", "time_offset", 0, Shares::Nothing, OnBeam::Noted, |w, _| {
        Ok(Value::int(offset(w)))
    })
    .environment(),
    inside("erlang", "time_offset", 1, Shares::Nothing, OnBeam::Noted, |w, args| {
        in_unit(w, offset(w), arg(args, 0))
    })
    .environment(),
    inside("erlang", "timestamp", 0, Shares::Clock, OnBeam::Noted, |w, _| {
        Ok(timestamp(w, system(w) / 1000))
    })
    .environment(),
    inside("os", "timestamp", 0, Shares::Clock, OnBeam::Noted, |w, _| {
        Ok(timestamp(w, system(w) / 1000))
    })
    .environment(),
    inside("erlang", "now", 0, Shares::Clock, OnBeam::Noted, now).environment(),
    inside("erts_internal", "time_unit", 0, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::int(PER_SECOND))
    }),
    inside("erts_internal", "perf_counter_unit", 0, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::int(PER_SECOND))
    }),
    inside("erlang", "universaltime", 0, Shares::Nothing, OnBeam::Noted, |w, _| Ok(today(w)))
        .environment(),
    inside("erlang", "localtime", 0, Shares::Nothing, OnBeam::Noted, |w, _| Ok(today(w)))
        .environment(),
    inside("erlang", "date", 0, Shares::Nothing, OnBeam::Noted, |w, _| {
        let today = today(w);
        Ok(w.heap.elements(today).and_then(|it| it.first()).copied().unwrap_or(today))
    })
    .environment(),
    inside("erlang", "time", 0, Shares::Nothing, OnBeam::Noted, |w, _| {
        let today = today(w);
        Ok(w.heap.elements(today).and_then(|it| it.last()).copied().unwrap_or(today))
    })
    .environment(),
    inside(
        "erlang",
        "localtime_to_universaltime",
        2,
        Shares::Nothing,
        OnBeam::Noted,
        local_to_universal,
    )
    .environment(),
    inside("erlang", "universaltime_to_localtime", 1, Shares::Nothing, OnBeam::Noted, |w, args| {
        read_date(w, arg(args, 0), LEAST_LOCAL_YEAR)?;
        Ok(arg(args, 0))
    })
    .environment(),
    pure("erlang", "universaltime_to_posixtime", 1, |w, args| {
        read_date(w, arg(args, 0), LEAST_YEAR).map(Value::int)
    }),
    pure("erlang", "posixtime_to_universaltime", 1, from_posix),
    inside("erlang", "unique_integer", 0, Shares::Nothing, OnBeam::Noted, |w, _| {
        Ok(unique(w, &[]))
    })
    .environment(),
    inside("erlang", "unique_integer", 1, Shares::UniqueInteger, OnBeam::Noted, unique_with)
        .environment(),
];

/// Clock ticks per second: nanoseconds, as on BEAM's common platforms.
const PER_SECOND: i64 = 1_000_000_000;
/// The reading of BEAM's monotonic clock when it starts, in nanoseconds.
pub(crate) const MONOTONIC_BEGIN: i64 = -576_460_752 * PER_SECOND;
/// The largest reading of the monotonic clock, in nanoseconds.
pub(crate) const MONOTONIC_END: i64 = 8_646_911_283 * PER_SECOND;
const SECONDS_PER_DAY: i64 = 86_400;

/// How long the runtime has been up when the program begins, in nanoseconds.
pub(crate) const STARTING: i64 = PER_SECOND;

/// Returns the time since the runtime was started, in nanoseconds.
fn since_begin(w: &World) -> i64 {
    let shown = w.run.clock.saturating_add(w.clock_ticks());
    i64::try_from(shown).unwrap_or(i64::MAX).saturating_add(STARTING)
}

pub(crate) fn monotonic(w: &World) -> i64 {
    since_begin(w).saturating_add(MONOTONIC_BEGIN)
}

/// Returns the reading of the system clock, in microseconds.
pub(crate) fn system_time_micros(w: &World) -> i64 {
    system(w) / 1000
}

fn system(w: &World) -> i64 {
    monotonic(w).saturating_add(offset(w))
}

/// Returns the difference between system time and monotonic time. The world's epoch is the system time when the program
/// begins.
fn offset(w: &World) -> i64 {
    w.epoch.0 - MONOTONIC_BEGIN - STARTING
}

/// Converts a time in nanoseconds to another unit, rounded down.
pub(crate) fn in_unit(w: &mut World, nanos: i64, unit: Value) -> Result<Value, Fault> {
    let per_second = match unit.view() {
        View::Atom(AtomId::SECOND | AtomId::SECONDS) => 1,
        View::Atom(AtomId::MILLISECOND | AtomId::MILLI_SECONDS) => 1_000,
        View::Atom(AtomId::MICROSECOND | AtomId::MICRO_SECONDS) => 1_000_000,
        View::Atom(
            AtomId::NANOSECOND | AtomId::NANO_SECONDS | AtomId::NATIVE | AtomId::PERF_COUNTER,
        ) => PER_SECOND,
        View::Int(per_second) if 0 < per_second => per_second,
        View::Big(at) if *w.heap.big(at) > BigInt::ZERO => {
            let scaled = (w.heap.big(at) * nanos).div_floor(&BigInt::from(PER_SECOND));
            return Ok(w.heap.integer(scaled));
        }
        _ => return Err(Fault::BADARG),
    };
    let scaled = (i128::from(nanos) * i128::from(per_second)).div_euclid(i128::from(PER_SECOND));
    Ok(w.heap.integer(BigInt::from(scaled)))
}

/// Makes `{MegaSeconds, Seconds, MicroSeconds}`.
fn timestamp(w: &mut World, micros: i64) -> Value {
    let (seconds, micros) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    let (mega, seconds) = (seconds.div_euclid(1_000_000), seconds.rem_euclid(1_000_000));
    w.heap.tuple(&[Value::int(mega), Value::int(seconds), Value::int(micros)])
}

/// Makes the timestamp of a time on the monotonic clock.
pub(crate) fn timestamp_of(w: &mut World, monotonic: i64) -> Value {
    let micros = monotonic.saturating_add(offset(w)) / 1000;
    timestamp(w, micros)
}

/// Returns a timestamp greater than all that earlier calls returned.
fn now(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let micros = (system(w) / 1000).max(w.run.last_now + 1);
    w.run.last_now = micros;
    Ok(timestamp(w, micros))
}

/// Returns the system time as a timestamp, like `os:timestamp/0`.
pub(crate) fn timestamp_now(w: &mut World) -> Value {
    let now = monotonic(w);
    timestamp_of(w, now)
}

/// Returns an integer greater than all that earlier calls returned.
pub(crate) fn next_ordered(w: &mut World) -> Value {
    unique(w, &[Modifier::Monotonic])
}

// Dates

fn today(w: &mut World) -> Value {
    let seconds = system(w).div_euclid(PER_SECOND);
    date_time(w, seconds)
}

fn date_time(w: &mut World, seconds: i64) -> Value {
    let (year, month, day) = civil(seconds.div_euclid(SECONDS_PER_DAY));
    let second = seconds.rem_euclid(SECONDS_PER_DAY);
    let date = [year, month, day].map(Value::int);
    let date = w.heap.tuple(&date);
    let time = [second / 3600, second / 60 % 60, second % 60].map(Value::int);
    let time = w.heap.tuple(&time);
    w.heap.tuple(&[date, time])
}

/// Returns the date that is `days` days after 1970-01-01. Computed in years that begin in March, so that the leap day
/// comes last.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Returns how many days a date is after 1970-01-01.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    era * 146_097 + of_era - 719_468
}

/// The first years that BEAM accepts in universal and in local times.
const LEAST_YEAR: i64 = 1600;
const LEAST_LOCAL_YEAR: i64 = 1902;

/// Converts `{{Year, Month, Day}, {Hour, Minute, Second}}` to seconds since 1970.
fn read_date(w: &World, value: Value, least_year: i64) -> Result<i64, Fault> {
    let Some([date, time]) = w.heap.elements(value) else { return Err(Fault::BADARG) };
    let ([year, month, day], [hour, minute, second]) = (triple(w, *date)?, triple(w, *time)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last_day = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return Err(Fault::BADARG),
    };
    let is_date =
        (least_year..i64::from(i32::MAX)).contains(&year) && (1..=last_day).contains(&day);
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..60).contains(&second);
    if !is_date || !is_time {
        return Err(Fault::BADARG);
    }
    let of_day = hour * 3600 + minute * 60 + second;
    Ok(days(year, month, day) * SECONDS_PER_DAY + of_day)
}

fn triple(w: &World, value: Value) -> Result<[i64; 3], Fault> {
    let Some([a, b, c]) = w.heap.elements(value) else { return Err(Fault::BADARG) };
    match (a.as_int(), b.as_int(), c.as_int()) {
        (Some(a), Some(b), Some(c)) => Ok([a, b, c]),
        _ => Err(Fault::BADARG),
    }
}

fn from_posix(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let seconds = arg(args, 0).as_int().ok_or(Fault::BADARG)?;
    Ok(date_time(w, seconds))
}

fn local_to_universal(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let is_dst = arg(args, 1);
    if is_dst.as_bool().is_none() && !is_dst.is_atom(AtomId::UNDEFINED) {
        return Err(Fault::BADARG);
    }
    let seconds = read_date(w, arg(args, 0), LEAST_LOCAL_YEAR)?;
    // UTC has no summer time, but BEAM takes an hour off if the caller says that it is summer time.
    if is_dst.as_bool() == Some(true) {
        return Ok(date_time(w, seconds - 3600));
    }
    Ok(arg(args, 0))
}

// Unique integers

/// The number that BEAM adds to integers that need not be positive.
pub(super) const LEAST_UNIQUE: i64 = -(1 << 59);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Modifier {
    Positive,
    Monotonic,
}

fn unique_with(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let mut modifiers = Vec::new();
    for option in w.heap.list_items(arg(args, 0)).ok_or(Fault::BADARG)? {
        let name = option.as_atom().ok_or(Fault::BADARG)?;
        modifiers.push(match w.atoms.name(name) {
            "positive" => Modifier::Positive,
            "monotonic" => Modifier::Monotonic,
            _ => return Err(Fault::BADARG),
        });
    }
    Ok(unique(w, &modifiers))
}

fn unique(w: &mut World, modifiers: &[Modifier]) -> Value {
    let counter = if modifiers.contains(&Modifier::Monotonic) {
        &mut w.run.n_unique_ordered
    } else {
        &mut w.run.n_unique
    };
    *counter = counter.wrapping_add(1);
    let least = if modifiers.contains(&Modifier::Positive) { 0 } else { LEAST_UNIQUE };
    let value = i128::from(*counter) + i128::from(least);
    w.heap.integer(value.into())
}

#[cfg(test)]
mod tests {
    use super::{civil, days};

    #[test]
    fn dates_and_days_agree() {
        for (date, day) in [
            ((1970, 1, 1), 0),
            ((2000, 2, 29), 11_016),
            ((2024, 1, 1), 19_723),
            ((1969, 12, 31), -1),
            ((0, 1, 1), -719_528),
        ] {
            assert_eq!(civil(day), date);
            assert_eq!(days(date.0, date.1, date.2), day);
        }
    }
}
