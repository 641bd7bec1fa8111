//! The table of diagnostics. Each has a code that never changes its meaning, and a page of explanation.

/// Defines `Code` from one row per diagnostic; the page of a code is a file of `docs/errors`.
macro_rules! codes {
    ($($variant:ident $name:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Code { $($variant),* }

        impl Code {
            pub(crate) const ALL: &[Code] = &[$(Code::$variant),*];

            pub(crate) fn name(self) -> &'static str {
                match self { $(Code::$variant => $name),* }
            }

            pub(crate) fn page(self) -> &'static str {
                match self {
                    $(Code::$variant => include_str!(
                        concat!("../../../docs/errors/", $name, ".md")
                    )),*
                }
            }
        }
    };
}

codes! {
    BadCall "G001",
    NoTarget "G002",
    NoModule "G003",
    NoDebugInfo "G004",
    DoesNotCompile "G005",
    NoOtp "G006",
    SlowOtp "G007",
    NoExplanation "G008",
    Unsupported "G009",
    NoFunction "G011",
    NotExported "G012",
    NothingToTest "G013",
    BadUnit "G014",
    BadArgs "G015",
    ArgsBreakSpec "G016",
    BadPrecondition "G017",
    CanNotWrite "G018",
    BadRecord "G019",
    UnitFailed "G020",
    PartOfSpec "G021",
    BadDirective "G022",
    BadConfig "G023",
    BadBaseline "G024",
    NoSandbox "G025",
    OutOfMemory "G026",
    StaleModule "G028",
    NoTests "G029",
    BadSyntax "G030",
    BadClause "G031",
    NoPredicate "G032",
    BadMode "G033",
    NoSwipl "G034",
    Refused "G035",
    Disagrees "G036",
    CanNotRecord "G040",
    BadRecording "G041",
    Contradiction "G042",
    Recorded "G043",
    NotStarted "G044",
    BadSetup "G045",
    CanNotWatch "G060",
    BadEditor "G061",
}

impl Code {
    pub(crate) fn from_name(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|it| it.name().eq_ignore_ascii_case(name.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn each_page_names_its_code_and_says_what_to_do() {
        for code in Code::ALL {
            let page = code.page();
            assert!(page.starts_with(&format!("# {}: ", code.name())), "{}", code.name());
            assert!(page.contains("\n## What to do\n"), "{}", code.name());
            assert_eq!(Code::from_name(code.name()), Some(*code));
        }
    }
}
