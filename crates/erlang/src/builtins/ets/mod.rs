//! ETS: tables of objects, by subject. The objects lie in the machine's heap like all values.
//!
//! What `ets` writes in Erlang (`foldl`, `tab2list`, `select_delete`, ...) is not here, except
//! `ets:all/0`, which on BEAM asks each scheduler.

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

use crate::builtins::{Builtin, inside};

pub(super) const ROWS: &[Builtin] = &[
    inside("ets", "new", 2, create::new),
    inside("ets", "rename", 2, create::rename),
    inside("ets", "whereis", 1, create::whereis),
    inside("ets", "all", 0, create::all),
    inside("ets", "delete", 1, create::delete),
    inside("ets", "give_away", 3, owners::give_away).moves(0b11),
    inside("ets", "setopts", 2, owners::set_options),
    inside("erts_internal", "ets_super_user", 1, owners::super_user),
    inside("ets", "insert", 2, objects::insert).moves(0b01),
    inside("ets", "insert_new", 2, objects::insert_new).moves(0b01),
    inside("ets", "lookup", 2, objects::lookup).moves(0b01),
    inside("ets", "lookup_element", 3, objects::lookup_element).moves(0b101),
    inside("ets", "member", 2, objects::member).moves(0b01),
    inside("ets", "delete", 2, objects::delete).moves(0b01),
    inside("ets", "delete_object", 2, objects::delete_object),
    inside("ets", "internal_delete_all", 2, objects::delete_all),
    inside("ets", "take", 2, objects::take).moves(0b01),
    inside("ets", "update_element", 3, objects::update_element).moves(0b01),
    inside("ets", "update_counter", 3, objects::update_counter).moves(0b101),
    inside("ets", "update_counter", 4, objects::update_counter).moves(0b101),
    inside("ets", "first", 1, walk::first),
    inside("ets", "last", 1, walk::last),
    inside("ets", "next", 2, walk::next),
    inside("ets", "prev", 2, walk::prev),
    inside("ets", "slot", 2, walk::slot),
    inside("ets", "safe_fixtable", 2, walk::safe_fixtable),
    inside("erts_internal", "ets_raw_first", 1, walk::first),
    inside("erts_internal", "ets_raw_next", 2, walk::next),
    inside("erts_internal", "ets_lookup_binary_info", 2, info::binaries_of),
    inside("ets", "info", 1, info::info),
    inside("ets", "info", 2, info::info_item),
    inside("ets", "match", 1, select::go_on),
    inside("ets", "match", 2, select::match_all),
    inside("ets", "match", 3, select::match_some),
    inside("ets", "match_object", 1, select::go_on),
    inside("ets", "match_object", 2, select::match_object_all),
    inside("ets", "match_object", 3, select::match_object_some),
    inside("ets", "select", 1, select::go_on),
    inside("ets", "select", 2, select::select_all),
    inside("ets", "select", 3, select::select_some),
    inside("ets", "select_reverse", 1, select::go_on),
    inside("ets", "select_reverse", 2, select::select_all_backwards),
    inside("ets", "select_reverse", 3, select::select_some_backwards),
    inside("ets", "select_count", 2, select::count),
    inside("ets", "internal_select_delete", 2, select::delete),
    inside("ets", "select_replace", 2, select::replace),
    inside("ets", "match_spec_compile", 1, select::compile_spec),
    inside("ets", "match_spec_run_r", 3, select::run_spec),
    inside("ets", "is_compiled_ms", 1, select::is_compiled),
    inside("erlang", "match_spec_test", 3, select::test_spec),
];
