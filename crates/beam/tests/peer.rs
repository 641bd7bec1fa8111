//! Tests of the peer process: time limits, crashes, output, shutdown.

use beam::{Otp, Settings};
use erlang::{Host, HostAnswer, HostError};
use std::path::{Path, PathBuf};
use std::time::Duration;
use term::{Atom, Term};

fn otp() -> Otp {
    let settings = Settings { apply_limit: Duration::from_millis(500), ..Settings::default() };
    Otp::new(settings).expect("OTP is installed")
}

fn apply(
    otp: &mut Otp,
    module: &str,
    function: &str,
    args: &[Term],
) -> Result<HostAnswer, HostError> {
    otp.apply(&Atom::new(module), &Atom::new(function), args)
}

fn works(otp: &mut Otp) {
    let answer = apply(otp, "erlang", "+", &[Term::Int(1), Term::Int(2)]);
    assert_eq!(answer, Ok(HostAnswer::Value(Term::Int(3))));
}

#[test]
fn an_exception_comes_with_the_trace_of_the_program_alone() {
    let mut otp = otp();
    let answer = apply(&mut otp, "lists", "map", &[Term::Nil, Term::Int(1)]);
    let Ok(HostAnswer::Raised { class, reason, trace }) = answer else { panic!("{answer:?}") };
    assert_eq!((class.as_str(), reason.as_atom()), ("error", Some("function_clause")));
    assert_eq!(trace.as_list().map(<[Term]>::len), Some(1));
    let thrown = apply(&mut otp, "erlang", "throw", &[Term::Int(1)]);
    assert!(matches!(thrown, Ok(HostAnswer::Raised { class, .. }) if class.as_str() == "throw"));
}

#[test]
fn a_request_over_its_time_ends_alone() {
    let mut otp = otp();
    let answer = apply(&mut otp, "timer", "sleep", &[Term::atom("infinity")]);
    assert!(matches!(answer, Err(HostError::Timeout(_))), "{answer:?}");
    works(&mut otp);
    assert_eq!(otp.starts(), 1);
}

#[test]
fn a_lost_process_is_started_again() {
    let mut otp = otp();
    works(&mut otp);
    let answer = apply(&mut otp, "erlang", "halt", &[Term::Int(3)]);
    assert!(matches!(answer, Err(HostError::Lost(_))), "{answer:?}");
    works(&mut otp);
    assert_eq!(otp.starts(), 2);
}

#[test]
fn a_runtime_that_a_request_damaged_answers_and_is_replaced() {
    let mut otp = otp();
    works(&mut otp);
    let answer = apply(&mut otp, "erlang", "unregister", &[Term::atom("file_server_2")]);
    assert_eq!(answer, Ok(HostAnswer::Value(Term::atom("true"))));
    let answer = apply(&mut otp, "erlang", "whereis", &[Term::atom("file_server_2")]);
    assert!(matches!(answer, Ok(HostAnswer::Value(Term::Pid(_)))), "{answer:?}");
    assert_eq!(otp.starts(), 2);
}

#[test]
fn output_does_not_touch_the_frames() {
    let mut otp = otp();
    let noise = Term::string(&"noise\n".repeat(50_000));
    let calls = [
        ("io", "put_chars", vec![noise.clone()]),
        ("io", "put_chars", vec![Term::atom("user"), noise.clone()]),
        ("io", "put_chars", vec![Term::atom("standard_error"), noise]),
        ("erlang", "display", vec![Term::atom("noise")]),
        ("os", "cmd", vec![Term::string("echo noise; echo noise >&2")]),
    ];
    for (module, function, args) in calls {
        let answer = apply(&mut otp, module, function, &args);
        assert!(matches!(answer, Ok(HostAnswer::Value(_))), "{module}:{function} {answer:?}");
        works(&mut otp);
    }
    let line = apply(&mut otp, "io", "get_line", &[Term::Nil]);
    assert_eq!(line, Ok(HostAnswer::Value(Term::atom("eof"))));
    assert_eq!(otp.starts(), 1);
}

#[test]
fn large_terms_pass_both_ways() {
    let mut otp = otp();
    let large = Term::binary(vec![7; 20 << 20]);
    let answer = apply(&mut otp, "erlang", "hd", &[Term::proper_list(vec![large.clone()])]);
    assert_eq!(answer, Ok(HostAnswer::Value(large)));
}

#[test]
fn the_process_ends_with_its_owner() {
    let mut otp = otp();
    works(&mut otp);
    let process = Path::new("/proc").join(otp.process_id().expect("it runs").to_string());
    assert!(process.exists());
    drop(otp);
    assert!(!process.exists());
}

#[test]
fn without_otp_there_is_a_hint() {
    let settings = Settings { erl: PathBuf::from("no-such-erl"), ..Settings::default() };
    let error = Otp::new(settings).expect_err("there is none").to_string();
    assert!(error.contains("no-such-erl") && error.contains("install"), "{error}");
    let settings = Settings { erl: PathBuf::from("/bin/false"), ..Settings::default() };
    let error = Otp::new(settings).and_then(|mut it| it.load(&Atom::new("lists")));
    assert!(matches!(error, Err(HostError::Lost(_))), "{error:?}");
}
