//! Queries: calling a goal, its answers one by one, and how it ended.

use crate::data::{FunctorId, Record, Value};
use crate::machine::throw::Thrown;
use crate::machine::{Alternative, Fault, Global, Limits, Machine, Stop, Written};
use crate::machine::{Control, RunState};
use crate::program::Library;

/// The outcome of searching for an answer.
#[derive(Clone, Debug)]
pub enum Ending {
    /// An answer was found.
    True {
        more: bool,
    },
    /// There is no (further) answer.
    False,
    /// An exception was not caught.
    Exception(Record),
    Stopped(Stop),
}

/// A query in progress; it gives its answers one by one.
pub struct Solutions<'m> {
    machine: &'m mut Machine,
    library: &'m mut dyn Library,
    query: Record,
    limits: Limits,
    n_answers: usize,
    started: bool,
}

impl std::fmt::Debug for Solutions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solutions").field("n_answers", &self.n_answers).finish_non_exhaustive()
    }
}

impl Machine {
    /// Starts a query. It is given as a term `Goal-Bindings`, where the bindings are a list of `Name =
    /// Value`.
    pub fn solve<'m>(
        &'m mut self,
        library: &'m mut dyn Library,
        query: &Record,
        limits: Limits,
    ) -> Solutions<'m> {
        Solutions {
            machine: self,
            library,
            query: query.clone(),
            limits,
            n_answers: 0,
            started: false,
        }
    }

    /// Returns the values of the query's variables after an answer.
    pub fn bindings(&self) -> Vec<(String, Value)> {
        let (items, _) = self.heap.list_items(self.bindings);
        let binding = |item: Value| {
            let name = self.heap.arg(item, 0).as_atom().map(|it| self.atoms.text(it).to_owned());
            (name.unwrap_or_default(), self.heap.arg(item, 1))
        };
        items.into_iter().filter(|it| it.is_struct(FunctorId::UNIFY)).map(binding).collect()
    }

    /// Returns the text that the run has written to `user_output` so far.
    pub fn output_text(&self) -> &str {
        &self.run.output.text
    }

    /// Returns the text that the run has written to `user_error` so far.
    pub fn error_text(&self) -> &str {
        &self.run.output.errors
    }

    /// Hands the text written since the last call to the sink. Returns whether the sink wants more. When a
    /// run is repeated, the text that the sink already got is not handed over again.
    pub fn give_written(&mut self) -> bool {
        let Some(sink) = &mut self.sink else { return true };
        let (output, errors) = self.taken;
        let now = (self.run.output.text.len(), self.run.output.errors.len());
        let new = self.run.output.since(output, errors);
        self.taken = (output.max(now.0), errors.max(now.1));
        (sink.0)(&new)
    }

    /// Returns the text written after the first `output` bytes of `user_output` and the first `errors` bytes
    /// of `user_error`.
    pub fn written_since(&self, output: usize, errors: usize) -> Vec<Written> {
        self.run.output.since(output, errors)
    }

    /// Returns the number of predicate calls so far in this run.
    pub fn steps(&self) -> u64 {
        self.control.steps
    }

    fn start(&mut self, query: &Record, limits: Limits) {
        self.reset();
        self.limits = limits;
        self.run.reached.resize(self.db.marks.len(), 0);
        self.furthest.resize(self.db.marks.len(), 0);
        if let Some(recorder) = &mut self.recorder {
            recorder.restart();
        }
        self.db.begin_run();
        self.prepare(query);
    }

    /// Sets the registers to run a query.
    pub(crate) fn prepare(&mut self, query: &Record) {
        let query = query.load(&mut self.heap);
        let goal = self.heap.arg(query, 0);
        self.bindings = self.heap.arg(query, 1);
        self.push_choice(Alternative::Bottom, 0);
        self.reserve(0);
        if let Some(slot) = self.stack.first_mut() {
            *slot = goal;
        }
        self.control.pc = crate::machine::throw::RECOVER;
    }

    /// Undoes everything that a run has changed.
    pub(crate) fn reset(&mut self) {
        self.db.end_run();
        self.run = RunState::new(&self.loaded);
        self.restart();
    }

    /// Keeps the changes that directives made, so that every later run begins with them.
    pub(crate) fn keep_loaded(&mut self) {
        self.leave_heap();
        self.loaded.globals.clone_from(&self.run.globals);
        self.loaded.gensyms.clone_from(&self.run.gensyms);
    }

    /// Copies global variables out of the heap before it is dropped. Values of `b_setval/2` are lost.
    fn leave_heap(&mut self) {
        self.run.globals.retain(|_, values| {
            values.retain_mut(|it| match it {
                Global::Kept(_, loaded) => {
                    *loaded = None;
                    true
                }
                Global::Live(_) => false,
            });
            !values.is_empty()
        });
    }

    /// Empties heap and stacks. Changes to the database stay.
    pub(crate) fn restart(&mut self) {
        self.leave_heap();
        self.heap = crate::data::Heap::default();
        self.control = Control::new();
    }

    /// Runs the loop, in the variant that records or in the one that does not.
    pub(crate) fn run_on(&mut self) -> Result<bool, Fault> {
        if self.recorder.is_some() { self.run::<true>() } else { self.run::<false>() }
    }

    /// Runs from the current registers to the next answer or the end.
    pub(crate) fn go(&mut self) -> Ending {
        loop {
            match self.run_on() {
                Ok(true) => {
                    let more = !matches!(
                        self.control.choices.last().map(|it| it.alternative),
                        Some(Alternative::Bottom) | None
                    );
                    return Ending::True { more };
                }
                Ok(false) => return Ending::False,
                Err(Fault::Stop(Stop::Memory)) => match self.throw_stack_overflow() {
                    Ok(true) => {}
                    Ok(false) => return Ending::Stopped(Stop::Memory),
                    Err(stop) => return Ending::Stopped(stop),
                },
                Err(Fault::Stop(stop)) => return Ending::Stopped(stop),
                Err(Fault::Ball(ball)) => {
                    match self.throw(ball) {
                        Ok(Thrown::Caught) => {}
                        Ok(Thrown::Uncaught(ball)) if self.is_stack_overflow(&ball) => {
                            return Ending::Stopped(Stop::Memory);
                        }
                        Ok(Thrown::Uncaught(ball)) => return Ending::Exception(ball),
                        Err(Fault::Stop(stop)) => return Ending::Stopped(stop),
                        // An exception of a cleanup is ignored.
                        Err(Fault::Ball(_)) => {}
                    }
                }
            }
        }
    }
}

impl Solutions<'_> {
    /// Returns the next answer. After `False`, `Exception` and `Stopped` there are no more.
    pub fn next_answer(&mut self) -> Ending {
        let mut ending = if self.started { self.again() } else { self.begin() };
        // If a library is missing, it is loaded permanently. The changes of the run are undone, and the run
        // is repeated up to the current answer.
        while let Ending::Stopped(Stop::Load(file)) = &ending {
            let file = file.clone();
            self.machine.reset();
            if let Err(error) = self.machine.load_library(&file, self.library) {
                return Ending::Stopped(Stop::Refused(error));
            }
            ending = self.begin();
            for _ in 0..self.n_answers {
                if matches!(ending, Ending::True { .. }) {
                    ending = self.again();
                }
            }
        }
        self.n_answers += 1;
        ending
    }

    fn begin(&mut self) -> Ending {
        self.started = true;
        self.machine.start(&self.query, self.limits);
        self.machine.go()
    }

    fn again(&mut self) -> Ending {
        match self.machine.backtrack() {
            Ok(()) => self.machine.go(),
            Err(_) => Ending::False,
        }
    }

    pub fn machine(&mut self) -> &mut Machine {
        self.machine
    }
}
