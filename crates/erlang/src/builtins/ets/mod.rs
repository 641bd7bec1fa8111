//! ETS tables, by subject. The objects lie in the machine's heap like all values.
//!
//! The functions that the module `ets` implements in Erlang (`foldl`, `tab2list`, `select_delete`, …) are not here,
//! except `ets:all/0`, which on BEAM asks each scheduler.

mod access;
mod create;
mod info;
mod objects;
mod owners;
mod rows;
mod select;
pub(crate) mod spec;
mod table;
mod walk;

pub(crate) use table::give_up;
pub use table::{Tables, owner_died};

use crate::builtins::{Builtin, OnBeam, Shares, TableUse, inside};
use trace::Mode;

pub(super) const ROWS: &[Builtin] = &[
    inside("ets", "new", 2, Shares::Table(TableUse::New), OnBeam::Alike, create::new),
    inside("ets", "rename", 2, Shares::Table(TableUse::Rename), OnBeam::Alike, create::rename),
    inside("ets", "whereis", 1, Shares::Table(TableUse::WhereIs), OnBeam::Alike, create::whereis),
    inside("ets", "all", 0, Shares::Everything, OnBeam::Alike, create::all),
    inside("ets", "delete", 1, Shares::Table(TableUse::Delete), OnBeam::Alike, create::delete),
    inside(
        "ets",
        "give_away",
        3,
        Shares::Table(TableUse::GiveAway),
        OnBeam::Alike,
        owners::give_away,
    )
    .moves(0b11),
    inside(
        "ets",
        "setopts",
        2,
        Shares::Table(TableUse::SetOptions),
        OnBeam::Alike,
        owners::set_options,
    ),
    inside(
        "erts_internal",
        "ets_super_user",
        1,
        Shares::Nothing,
        OnBeam::Alike,
        owners::super_user,
    ),
    inside("ets", "insert", 2, Shares::Table(TableUse::Insert), OnBeam::Alike, objects::insert)
        .moves(0b01),
    inside(
        "ets",
        "insert_new",
        2,
        Shares::Table(TableUse::InsertNew),
        OnBeam::Alike,
        objects::insert_new,
    )
    .moves(0b01),
    inside(
        "ets",
        "lookup",
        2,
        Shares::Table(TableUse::Key(Mode::Read)),
        OnBeam::Alike,
        objects::lookup,
    )
    .moves(0b01),
    inside(
        "ets",
        "lookup_element",
        3,
        Shares::Table(TableUse::Key(Mode::Read)),
        OnBeam::Alike,
        objects::lookup_element,
    )
    .moves(0b101),
    inside(
        "ets",
        "member",
        2,
        Shares::Table(TableUse::Key(Mode::Read)),
        OnBeam::Alike,
        objects::member,
    )
    .moves(0b01),
    inside("ets", "delete", 2, Shares::Table(TableUse::ChangeKey), OnBeam::Alike, objects::delete)
        .moves(0b01),
    inside(
        "ets",
        "delete_object",
        2,
        Shares::Table(TableUse::DeleteObject),
        OnBeam::Alike,
        objects::delete_object,
    )
    .moves(0b01),
    inside(
        "ets",
        "internal_delete_all",
        2,
        Shares::Table(TableUse::Whole(Mode::Write)),
        OnBeam::Alike,
        objects::delete_all,
    ),
    inside("ets", "take", 2, Shares::Table(TableUse::ChangeKey), OnBeam::Alike, objects::take)
        .moves(0b01),
    inside(
        "ets",
        "update_element",
        3,
        Shares::Table(TableUse::ChangeKey),
        OnBeam::Alike,
        objects::update_element,
    )
    .moves(0b01),
    inside(
        "ets",
        "update_counter",
        3,
        Shares::Table(TableUse::ChangeKey),
        OnBeam::Alike,
        objects::update_counter,
    )
    .moves(0b001),
    inside(
        "ets",
        "update_counter",
        4,
        Shares::Table(TableUse::Key(Mode::Write)),
        OnBeam::Alike,
        objects::update_counter,
    )
    .moves(0b0001),
    inside(
        "ets",
        "first",
        1,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        walk::first,
    )
    .moves(0b1),
    inside("ets", "last", 1, Shares::Table(TableUse::Whole(Mode::Read)), OnBeam::Alike, walk::last)
        .moves(0b1),
    inside("ets", "next", 2, Shares::Table(TableUse::Whole(Mode::Read)), OnBeam::Alike, walk::next)
        .moves(0b01),
    inside("ets", "prev", 2, Shares::Table(TableUse::Whole(Mode::Read)), OnBeam::Alike, walk::prev)
        .moves(0b01),
    inside("ets", "slot", 2, Shares::Table(TableUse::Whole(Mode::Read)), OnBeam::Alike, walk::slot)
        .moves(0b11),
    inside(
        "ets",
        "safe_fixtable",
        2,
        Shares::Table(TableUse::Whole(Mode::ReadPart)),
        OnBeam::Alike,
        walk::safe_fixtable,
    ),
    inside(
        "erts_internal",
        "ets_raw_first",
        1,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        walk::first,
    ),
    inside(
        "erts_internal",
        "ets_raw_next",
        2,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        walk::next,
    ),
    inside(
        "erts_internal",
        "ets_lookup_binary_info",
        2,
        Shares::Table(TableUse::Key(Mode::Read)),
        OnBeam::Alike,
        info::binaries_of,
    ),
    inside("ets", "info", 1, Shares::Table(TableUse::Whole(Mode::Read)), OnBeam::Alike, info::info),
    inside(
        "ets",
        "info",
        2,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        info::info_item,
    ),
    inside("ets", "match", 1, Shares::Everything, OnBeam::Alike, select::go_on).moves(0),
    inside(
        "ets",
        "match",
        2,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        select::match_all,
    )
    .moves(0b01),
    inside(
        "ets",
        "match",
        3,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        select::match_some,
    )
    .moves(0b101),
    inside("ets", "match_object", 1, Shares::Everything, OnBeam::Alike, select::go_on).moves(0),
    inside(
        "ets",
        "match_object",
        2,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        select::match_object_all,
    )
    .moves(0b01),
    inside(
        "ets",
        "match_object",
        3,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        select::match_object_some,
    )
    .moves(0b101),
    inside("ets", "select", 1, Shares::Everything, OnBeam::Alike, select::go_on).moves(0),
    inside(
        "ets",
        "select",
        2,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        select::select_all,
    )
    .moves(0b01),
    inside(
        "ets",
        "select",
        3,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        select::select_some,
    )
    .moves(0b101),
    inside("ets", "select_reverse", 1, Shares::Everything, OnBeam::Alike, select::go_on).moves(0),
    inside(
        "ets",
        "select_reverse",
        2,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        select::select_all_backwards,
    )
    .moves(0b01),
    inside(
        "ets",
        "select_reverse",
        3,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        select::select_some_backwards,
    )
    .moves(0b101),
    inside(
        "ets",
        "select_count",
        2,
        Shares::Table(TableUse::Whole(Mode::Read)),
        OnBeam::Alike,
        select::count,
    )
    .moves(0b01),
    inside(
        "ets",
        "internal_select_delete",
        2,
        Shares::Table(TableUse::Whole(Mode::Write)),
        OnBeam::Alike,
        select::delete,
    )
    .moves(0b01),
    inside(
        "ets",
        "select_replace",
        2,
        Shares::Table(TableUse::Whole(Mode::Write)),
        OnBeam::Alike,
        select::replace,
    )
    .moves(0b01),
    inside("ets", "match_spec_compile", 1, Shares::Nothing, OnBeam::Alike, select::compile_spec),
    inside("ets", "match_spec_run_r", 3, Shares::Nothing, OnBeam::Alike, select::run_spec),
    inside("ets", "is_compiled_ms", 1, Shares::Nothing, OnBeam::Alike, select::is_compiled),
    inside("erlang", "match_spec_test", 3, Shares::Nothing, OnBeam::Alike, select::test_spec),
];
