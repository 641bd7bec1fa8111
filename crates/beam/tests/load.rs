//! Tests of loading modules through a real OTP.

use beam::{Otp, Settings};
use erlang::{Host, HostAnswer, HostError, ModuleCode};
use std::path::Path;
use term::{Atom, Term};

fn otp(cache: &Path) -> Otp {
    let settings = Settings { cache_dir: Some(cache.to_owned()), ..Settings::default() };
    Otp::new(settings).expect("OTP is installed")
}

fn apply(otp: &mut Otp, module: &str, function: &str, args: &[Term]) -> HostAnswer {
    otp.apply(&Atom::new(module), &Atom::new(function), args).expect("an answer")
}

/// Returns `{Name, Arity}` of every function that the module defines.
fn functions(code: &ModuleCode) -> Vec<(String, i64)> {
    let Some([kind, _, _, _, _, definitions]) = code.core.as_tuple() else {
        panic!("not a record");
    };
    assert_eq!(kind.as_atom(), Some("c_module"));
    let name_of = |definition: &Term| {
        let [variable, _] = definition.as_tuple()? else { return None };
        let [_, _, name] = variable.as_tuple()? else { return None };
        let [name, arity] = name.as_tuple()? else { return None };
        Some((name.as_atom()?.to_owned(), arity.as_int()?))
    };
    let definitions = definitions.as_list().expect("a list");
    definitions.iter().map(|it| name_of(it).expect("a definition")).collect()
}

#[test]
fn modules_of_otp_and_elixir_load_and_need_no_otp_the_second_time() {
    let cache = tempfile::tempdir().unwrap();
    let cases = [
        ("lists", "lists.erl", ("foldl", 3)),
        ("maps", "maps.erl", ("fold", 3)),
        ("gen_server", "gen_server.erl", ("call", 2)),
        ("erlang", "", ("max", 2)),
        ("prim_file", "", ("open", 2)),
        ("init", "", ("boot", 1)),
        ("Elixir.Enum", "lib/enum.ex", ("map", 2)),
        ("elixir_erl", "src/elixir_erl.erl", ("debug_info", 4)),
    ];
    let mut first = otp(cache.path());
    let mut second = otp(cache.path());
    for (module, file, (function, arity)) in cases {
        let code = first.load(&Atom::new(module)).expect(module);
        assert_eq!(code.name.as_str(), module);
        assert_eq!(code.file, file, "{module}");
        assert!(functions(&code).contains(&(function.to_owned(), arity)), "{module}");
        assert!(!code.forms.as_list().expect("forms").is_empty(), "{module}");
        let info = |otp: &mut Otp, what| apply(otp, module, "module_info", &[Term::atom(what)]);
        assert_eq!(info(&mut first, "attributes"), HostAnswer::Value(code.attributes.clone()));
        assert_eq!(info(&mut first, "compile"), HostAnswer::Value(code.compile_info.clone()));
        if !code.file.is_empty() {
            let md5 = Term::binary(code.md5.to_vec());
            assert_eq!(info(&mut first, "md5"), HostAnswer::Value(md5));
        }
        let again = second.load(&Atom::new(module)).expect(module);
        assert_eq!(again.core, code.core);
        assert_eq!((again.file, again.md5), (code.file, code.md5));
    }
    assert_eq!((first.starts(), second.starts()), (1, 0));
}

#[test]
fn a_module_that_is_not_there_is_named() {
    let cache = tempfile::tempdir().unwrap();
    let mut otp = otp(cache.path());
    for name in ["no_such_module", "../lists", ""] {
        let error = otp.load(&Atom::new(name)).expect_err(name);
        assert_eq!(error, HostError::NotFound(name.to_owned()));
    }
}
