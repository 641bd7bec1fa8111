//! Looks up the signatures of functions.

use crate::build::{Clause, Graph, Library, Side, TypeBuilder};
use crate::declarations::{ClauseForm, Declarations};
use crate::directives::Directives;
use crate::extract::extract;
use crate::form::Form;
use crate::made::{Maker, Otherwise};
use crate::protocols::implemented;
use crate::signature::{Origin, Signature};
use erlang::{Host, HostError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use term::fit_u32;
use term::{Atom, Domain, Term, Type, TypeId, Types};

/// The specs of modules. Declarations are cached, so one instance should serve all functions.
#[derive(Debug)]
pub struct Specs {
    library: Library,
    inputs: Graph,
    outputs: Graph,
}

/// How inputs of types are made whose values only their own module makes (opaque types, structs, records).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Inputs {
    /// Made up from the declaration of the type.
    #[default]
    MadeUp,
    /// Built by recipes, that is, calls of the module's functions; except for the records and structs named in
    /// `open_tags`, which other modules construct, too.
    Built { open_tags: Vec<Atom> },
}

/// A record that is defined in a module or in one of its headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub name: Atom,
    pub fields: Vec<Atom>,
    /// Whether the record is defined in the module's own file, not in a header that other modules could include.
    pub is_own: bool,
}

impl Default for Specs {
    fn default() -> Specs {
        Specs::new(Inputs::MadeUp)
    }
}

impl Specs {
    pub fn new(inputs: Inputs) -> Specs {
        let mut graph = Graph::new(Side::Input);
        if let Inputs::Built { open_tags } = inputs {
            graph.builds = true;
            graph.open_tags = open_tags.into_iter().collect();
        }
        Specs { library: Library::default(), inputs: graph, outputs: Graph::new(Side::Output) }
    }

    /// The signature of a function: its own spec, or else the callback of that name in one of the module's behaviours.
    /// `None` if there is neither.
    pub fn signature(
        &mut self,
        host: &mut dyn Host,
        module: &Atom,
        function: &Atom,
        arity: usize,
    ) -> Result<Option<Signature>, HostError> {
        let own = self.library.get(host, module)?;
        let name = (function.clone(), arity);
        if let Some(clauses) = own.specs.get(&name) {
            return Ok(Some(self.build(host, module, &own, clauses, Origin::Spec)));
        }
        for behaviour in &own.behaviours {
            if let Ok(declarations) = self.library.get(host, behaviour)
                && let Some(clauses) = declarations.callbacks.get(&name)
            {
                let origin = Origin::Callback(behaviour.clone());
                if let Some(target) = &own.implements_for
                    && declarations.is_protocol
                {
                    let of_target = self.library.get(host, target).unwrap_or_default();
                    let clauses = implemented(clauses, target, &of_target);
                    return Ok(Some(self.build(host, behaviour, &declarations, &clauses, origin)));
                }
                return Ok(Some(self.build(host, behaviour, &declarations, clauses, origin)));
            }
        }
        Ok(None)
    }

    /// The functions that have a spec, sorted by name.
    pub fn functions(
        &mut self,
        host: &mut dyn Host,
        module: &Atom,
    ) -> Result<Vec<(Atom, usize)>, HostError> {
        let declarations = self.library.get(host, module)?;
        let mut names: Vec<(Atom, usize)> = declarations.specs.keys().cloned().collect();
        names.sort();
        Ok(names)
    }

    /// The behaviours that the module declares.
    pub fn behaviours(
        &mut self,
        host: &mut dyn Host,
        module: &Atom,
    ) -> Result<Vec<Atom>, HostError> {
        self.library.get(host, module).map(|it| it.behaviours.clone())
    }

    /// The callbacks that the module's behaviours declare.
    pub fn callbacks(
        &mut self,
        host: &mut dyn Host,
        module: &Atom,
    ) -> Result<BTreeSet<(Atom, usize)>, HostError> {
        let mut res = BTreeSet::new();
        for behaviour in &self.library.get(host, module)?.behaviours {
            if let Ok(declarations) = self.library.get(host, behaviour) {
                res.extend(declarations.callbacks.keys().cloned());
            }
        }
        Ok(res)
    }

    /// The directives in the module's `-gimlet` attributes.
    pub fn directives(
        &mut self,
        host: &mut dyn Host,
        module: &Atom,
    ) -> Result<Directives, HostError> {
        self.library.get(host, module).map(|it| it.directives.clone())
    }

    /// The records that the module knows, sorted by name.
    pub fn records(
        &mut self,
        host: &mut dyn Host,
        module: &Atom,
    ) -> Result<Vec<Record>, HostError> {
        let declarations = self.library.get(host, module)?;
        let record = |(name, fields): (&Atom, &Vec<(Atom, Form)>)| Record {
            name: name.clone(),
            fields: fields.iter().map(|it| it.0.clone()).collect(),
            is_own: declarations.own_records.contains(name),
        };
        let mut res: Vec<Record> = declarations.records.iter().map(record).collect();
        res.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(res)
    }

    fn build(
        &mut self,
        host: &mut dyn Host,
        module: &Atom,
        declarations: &Arc<Declarations>,
        clauses: &[ClauseForm],
        origin: Origin,
    ) -> Signature {
        let (mut gaps, mut unmade) = (Vec::new(), Vec::new());
        let mut of_side = |graph| -> Vec<Clause> {
            let library = &mut self.library;
            let (gaps, unmade) = (&mut gaps, &mut unmade);
            let mut builder = TypeBuilder { graph, library, host: &mut *host, gaps, unmade };
            clauses.iter().map(|it| builder.clause(module, declarations, it)).collect()
        };
        let inputs = of_side(&mut self.inputs);
        let outputs = of_side(&mut self.outputs);
        let args: Vec<TypeId> = inputs.iter().map(|it| it.args).collect();
        let (mut types, args) = extract(&self.inputs.types, &args);
        let domain = match args.as_slice() {
            [one] => *one,
            _ => types.add(Type::Union(args.clone().into())),
        };
        let makers = if self.inputs.builds { self.makers(&types) } else { Vec::new() };
        let results: Vec<TypeId> = outputs.iter().map(|it| it.result).collect();
        let (result_types, results) = extract(&self.outputs.types, &results);
        Signature {
            origin,
            domain: Domain { types, args: Some(domain) },
            args,
            result_types,
            results,
            gaps,
            makers,
            builds: self.inputs.builds,
            unmade,
        }
    }

    /// The makers whose recipes occur in these types.
    fn makers(&self, types: &Types) -> Vec<(Maker, Vec<Otherwise>)> {
        let tag = |id: u32| {
            let Type::Tuple(parts) = types.get(TypeId(id)) else { return None };
            let Type::Literal(Term::Atom(tag)) = types.get(*parts.first()?) else { return None };
            Some(tag)
        };
        let all = 0..fit_u32(types.len());
        let maker = |tag: &Atom| {
            let otherwise = self.library.otherwise.get(tag).cloned().unwrap_or_default();
            Some((Maker::of_tag(tag)?, otherwise))
        };
        let found: BTreeMap<Maker, Vec<Otherwise>> =
            all.filter_map(tag).filter_map(maker).collect();
        found.into_iter().collect()
    }
}
