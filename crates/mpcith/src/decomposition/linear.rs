//! The linear decomposition (section 4.1.1) over any finite ring: shares add up to the value.

use volery_circuit::{Circuit, Gate};
use volery_field::Ring;

use super::{Decomposition, PLAYERS};

/// The linear decomposition of a circuit's assertions: `phi(x)` are the values of its asserted wires.
///
/// A view is the input share followed by one entry for each gate, as in the paper's first definition. Files
/// hold fewer: a linear gate's entry follows from those before it, so only those of multiplications count
/// ([`Linear::stored`]; the paper's "generalised multiplication gates").
#[derive(Clone, Debug)]
pub(crate) struct Linear<'a, R: Ring> {
    circuit: &'a Circuit<R>,
    /// For each gate, the number of multiplications before it.
    products: Vec<u32>,
}

/// A player's randomness: a random element for each input wire, and the function `R_i` on the gates.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Tape<R> {
    /// The input share of player 1 or 2; player 3's is not used.
    pub inputs: Vec<R>,
    /// `R_i` of every multiplication, in order.
    pub products: Vec<R>,
}

impl<R> core::fmt::Debug for Tape<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Tape").field("products", &self.products.len()).finish_non_exhaustive()
    }
}

/// The output of the simulator for a challenge `e`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Simulated<R> {
    /// Tapes and views of players `e` and `e + 1`.
    pub opened: [(Tape<R>, Vec<R>); 2],
    /// The third player's output share.
    pub closed: Vec<R>,
}

impl<R> core::fmt::Debug for Simulated<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Simulated").field("outputs", &self.closed.len()).finish_non_exhaustive()
    }
}

impl<'a, R: Ring> Linear<'a, R> {
    /// The decomposition of `circuit`.
    #[must_use]
    pub(crate) fn new(circuit: &'a Circuit<R>) -> Self {
        let mut before = 0;
        let products = circuit.gates().iter().map(|gate| {
            before += u32::from(matches!(gate, Gate::Mul(..)));
            before - u32::from(matches!(gate, Gate::Mul(..)))
        });
        Self { circuit, products: products.collect() }
    }

    /// The number of a view's entries that are input shares.
    fn inputs(&self) -> usize {
        self.circuit.input_wires() as usize
    }

    /// The entries of a complete view that a file holds: the shares of products.
    #[must_use]
    pub(crate) fn stored(&self, view: &[R]) -> Vec<R> {
        let gates = view.iter().skip(self.inputs()).zip(self.circuit.gates());
        gates.filter(|(_, gate)| matches!(gate, Gate::Mul(..))).map(|(entry, _)| *entry).collect()
    }

    /// The simulator of appendix A for challenge `e`. Its views have the distribution of real ones for any
    /// input with this `output`. `tapes` must be random. So must be `third`, which becomes player 3's input
    /// share if that player is opened, and `products`, the entries that multiplications add to the second
    /// opened player's view.
    #[must_use]
    pub(crate) fn simulate(
        &self,
        e: usize,
        output: &[R],
        tapes: [Tape<R>; 2],
        third: &[R],
        products: &[R],
    ) -> Simulated<R> {
        let players = [e, (e + 1) % PLAYERS];
        let share =
            |side: usize| if players[side] == 2 { third.to_vec() } else { tapes[side].inputs.clone() };
        let mut views = [share(0), share(1)];
        let mut products = products.iter();
        for (step, gate) in self.circuit.gates().iter().enumerate() {
            let own = self.step(players[0], step, [&views[0], &views[1]], [&tapes[0], &tapes[1]]);
            let next = match gate {
                Gate::Mul(..) => products.next().copied().unwrap_or_default(),
                // Linear gates depend only on the player's own view.
                _ => self.step(players[1], step, [&views[1], &views[1]], [&tapes[1], &tapes[1]]),
            };
            views[0].push(own);
            views[1].push(next);
        }
        let shares = views.each_ref().map(|view| self.output(view));
        let known = shares[0].iter().zip(&shares[1]);
        let closed = output.iter().zip(known).map(|(y, (own, next))| *y - *own - *next).collect();
        let [own, next] = tapes;
        let [own_view, next_view] = views;
        Simulated { opened: [(own, own_view), (next, next_view)], closed }
    }
}

impl<R: Ring> Decomposition for Linear<'_, R> {
    type Input = [R];
    type Output = Vec<R>;
    type Entry = R;
    type Tape = Tape<R>;
    type OutputShare = Vec<R>;

    fn share(&self, input: &[R], tapes: [&Tape<R>; PLAYERS]) -> [Vec<R>; PLAYERS] {
        let [first, second, _] = tapes.map(|tape| tape.inputs.clone());
        let known = first.iter().zip(&second);
        let third = input.iter().zip(known).map(|(x, (first, second))| *x - *first - *second).collect();
        [first, second, third]
    }

    fn steps(&self) -> usize {
        self.circuit.gates().len()
    }

    fn step(&self, player: usize, step: usize, views: [&[R]; 2], tapes: [&Tape<R>; 2]) -> R {
        let [own, next] = views;
        let constant = |c: u32| self.circuit.constants()[c as usize];
        let of_first = |c: u32| if player == 0 { constant(c) } else { R::ZERO };
        match self.circuit.gates()[step] {
            Gate::Constant(c) => of_first(c),
            Gate::AddConstant(a, c) => own[a as usize] + of_first(c),
            Gate::Scale(a, c) => own[a as usize] * constant(c),
            Gate::Add(a, b) => own[a as usize] + own[b as usize],
            Gate::Sub(a, b) => own[a as usize] - own[b as usize],
            Gate::Mul(a, b) => {
                let (a, b) = (a as usize, b as usize);
                let random = tapes.map(|tape| tape.products[self.products[step] as usize]);
                own[a] * own[b] + next[a] * own[b] + own[a] * next[b] + random[0] - random[1]
            }
        }
    }

    fn output(&self, view: &[R]) -> Vec<R> {
        self.circuit.asserted().iter().map(|wire| view[*wire as usize]).collect()
    }

    fn reconstruct(&self, shares: [&Vec<R>; PLAYERS]) -> Vec<R> {
        let [first, second, third] = shares;
        first
            .iter()
            .zip(second)
            .zip(third)
            .map(|((first, second), third)| *first + *second + *third)
            .collect()
    }
}
