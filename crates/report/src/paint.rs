//! The colours of a terminal.

/// Whether text is written with colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    On,
    #[default]
    Off,
}

/// Escape codes; empty without colours.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    pub error: &'static str,
    pub warning: &'static str,
    pub good: &'static str,
    pub bold: &'static str,
    pub faint: &'static str,
    pub edge: &'static str,
    pub mark: &'static str,
    pub underline: &'static str,
    pub off: &'static str,
}

impl Paint {
    pub fn new(colours: Colours) -> Paint {
        match colours {
            Colours::On => Paint {
                error: "\x1b[1;31m",
                warning: "\x1b[1;33m",
                good: "\x1b[32m",
                bold: "\x1b[1m",
                faint: "\x1b[2m",
                edge: "\x1b[34m",
                mark: "\x1b[31m",
                underline: "\x1b[4m",
                off: "\x1b[0m",
            },
            Colours::Off => Paint {
                error: "",
                warning: "",
                good: "",
                bold: "",
                faint: "",
                edge: "",
                mark: "",
                underline: "",
                off: "",
            },
        }
    }
}
