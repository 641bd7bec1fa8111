//! Every module of OTP's standard library and compiler can be lowered, with a bounded number of instructions.

use beam::{Otp, Settings as OtpSettings, Target};
use erlang::{Host, HostAnswer, Machine, Settings};
use std::env;
use term::{Atom, Term};

/// Loads every module in a directory of `.beam` files. Returns the number of modules.
fn load_all(directory: &str) -> usize {
    let target = Target::resolve(directory).expect("a directory of modules");
    let cache_dir = Some(env::temp_dir().join("gimlet-conformance-cache"));
    let settings = OtpSettings { cache_dir, ..OtpSettings::default() };
    let mut otp = Otp::new(settings).expect("OTP is installed");
    otp.add_target(&target).expect("OTP takes the directory");
    let mut machine = Machine::new(Box::new(otp), Settings::default());
    for module in &target.modules {
        let before = machine.code_len();
        let exports = machine.exports(&module.name).expect("it loads");
        assert!(!exports.is_empty(), "{:?} exports nothing", module.name);
        // Decision trees may repeat tests on different paths; exponential growth would be a bug.
        let grown = machine.code_len() - before;
        assert!(grown < 1_000_000, "{:?} has {grown} instructions", module.name);
    }
    target.modules.len()
}

fn library(name: &str) -> String {
    let mut otp = Otp::new(OtpSettings::default()).expect("OTP is installed");
    let args = [Term::atom(name)];
    let answer = otp.apply(&Atom::new("code"), &Atom::new("lib_dir"), &args).expect("OTP answers");
    let HostAnswer::Value(path) = answer else { panic!("no library {name}: {answer:?}") };
    let chars = path.as_list().expect("a path").iter().filter_map(Term::as_int);
    let path: String =
        chars.filter_map(|it| u32::try_from(it).ok().and_then(char::from_u32)).collect();
    format!("{path}/ebin")
}

#[test]
fn the_standard_library_loads() {
    assert!(load_all(&library("stdlib")) > 80, "stdlib has more modules than that");
}

#[test]
fn the_compiler_loads() {
    assert!(load_all(&library("compiler")) > 40, "the compiler has more modules than that");
}
