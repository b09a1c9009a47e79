//! A prover that converts bits to elements as the library's module `mixed` says, one set and one conversion
//! at a time, and lies where it is told to. Both parts are the plain provers.

use volery_channel::{Channel, tags};
use volery_circuit::{Backend, Convert, Prove, Statement};
use volery_field::{Authenticated, F2, F61, Gf128, Mac, Ring};
use volery_vole::Prg;
use volery_zk::Error;
use volery_zk::quicksilver::field::Link;
use volery_zk::quicksilver::mixed::Tallies;

use crate::bits::reference as bits;
use crate::field::reference::Reference;
use crate::field::univariate::encode;

/// Where a prover departs from the protocol. Numbers count from 0, in its first check of conversions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lie {
    /// It only does not stop at a claim that is false.
    GoOn,
    /// The element of this conversion is the other bit.
    Other(usize),
    /// The element of this conversion is two more than its bit.
    NotABit(usize),
    /// As [`Lie::Other`], and it knows the sets before it commits to its masks: the lie that nobody can
    /// notice.
    Foreseen(usize, [u8; 16]),
    /// The mask of this set is another bit in the field.
    Mask(usize),
    /// The mask of this set is two more in the field.
    MaskNotABit(usize),
    /// It shows the other parity of this set.
    Parity(usize),
    /// This digit of this set's sum is the other bit.
    Digit(usize, usize),
    /// The lowest digit of this set's sum is two more, and the next one less: the sum is right.
    Digits(usize),
    /// It finds the sets from another seed than the one it was given.
    Seed,
}

/// See the module's documentation.
pub(crate) struct MixedReference<'a, M: Mac<F61>> {
    field: Reference<F61, M, bits::Reference<'a>>,
    conversions: Vec<(Gf128, Authenticated<F61, M>)>,
    random: Prg,
    lie: Lie,
}

impl Link for bits::Reference<'_> {
    fn channel(&mut self) -> &mut dyn Channel {
        self.channel
    }

    fn pause(&mut self) -> Result<(), Error> {
        self.send_masks()
    }

    fn digest(&mut self) -> Result<Option<[u8; 16]>, Error> {
        Ok(self.transcript.as_mut().map(bits::challenge))
    }
}

fn bit(x: bool) -> F61 {
    F61::new(x.into())
}

/// For each of `sets` sets, which of `n` items it has.
fn members(seed: [u8; 16], sets: usize, n: usize) -> Vec<Vec<bool>> {
    let mut prg = Prg::new(seed);
    let mut members = vec![Vec::new(); sets];
    // A byte for each set says which of the next six items it has.
    for first in (0..n).step_by(6) {
        let mut choices = vec![0; sets];
        prg.bytes(&mut choices);
        for (members, choice) in members.iter_mut().zip(choices) {
            members.extend((first..n.min(first + 6)).map(|item| choice >> (item - first) & 1 == 1));
        }
    }
    members
}

impl<'a, M: Mac<F61>> MixedReference<'a, M> {
    /// `seed` makes the masks of parities.
    pub(crate) fn new(field: Reference<F61, M, bits::Reference<'a>>, seed: [u8; 16], lie: Lie) -> Self {
        Self { field, conversions: Vec::new(), random: Prg::new(seed), lie }
    }

    pub(crate) fn prove(mut self, statement: &impl Statement<Self>) -> Result<Tallies, Error> {
        statement.run(&mut self)?;
        if !self.conversions.is_empty() {
            self.check_conversions()?;
        }
        let (elements, bits) = self.field.finish()?;
        Ok([bits.finish()?, elements])
    }

    /// V may need the elements before it can go on with bits.
    fn prepare_ring<R: Ring>(&mut self) -> Result<(), Error> {
        if R::NAME == F2::NAME { self.field.send_elements() } else { Ok(()) }
    }

    fn prepare_batch<R: Ring>(&mut self) -> Result<(), Error> {
        self.prepare_ring::<R>()
    }

    fn check_conversions(&mut self) -> Result<(), Error> {
        let conversions = std::mem::take(&mut self.conversions);
        let sets = if M::BITS >= 120 { 128 } else { 64 };
        let (r_bits, r) = self.masks(sets, conversions.len())?;
        let mut seed = self.field.challenge()?;
        if self.lie == Lie::Seed {
            seed[0] ^= 1;
        }
        let (mut e, mut sums) = (Vec::new(), Vec::new());
        for members in members(seed, sets, conversions.len()) {
            let chosen = || {
                let each = conversions.iter().zip(&members);
                each.filter(|(_, chosen)| **chosen).map(|(conversion, _)| conversion)
            };
            e.push(chosen().fold(Gf128::ZERO, |sum, (bit, _)| sum + *bit));
            sums.push(chosen().fold(Authenticated::default(), |sum, (_, element)| sum + *element));
        }
        let digits = self.digits(conversions.len().ilog2() as usize + 1, &sums)?;
        let value = |wire: &Gf128| wire.to_bits() & 1 == 1;
        let mut shown: Vec<bool> = e.iter().zip(&r_bits).map(|(e, r)| value(e) ^ value(r)).collect();
        if let Lie::Parity(set) = self.lie {
            shown[set] ^= true;
        }
        let mut packed = vec![0; sets / 8];
        shown.iter().enumerate().for_each(|(j, bit)| packed[j / 8] |= u8::from(*bit) << (j % 8));
        self.field.send_elements()?;
        self.field.send(tags::PARITIES, &packed)?;

        let all: Vec<_> = digits.iter().flatten().copied().collect();
        self.field.assert_products(&all, &all, &all)?;
        for (((sum, digits), r), shown) in sums.iter().zip(&digits).zip(&r).zip(&shown) {
            // sum 2^l c_l = S, and c_0 = r or c_0 = 1 - r.
            let powers = digits.iter().zip(0..).map(|(digit, l)| digit.scale(F61::new(1 << l)));
            let difference = powers.fold(Authenticated::default(), |sum, term| sum + term) - *sum;
            let parity =
                if *shown { digits[0] + *r - Authenticated::constant(F61::new(1)) } else { digits[0] - *r };
            self.field.assert_zero(&[difference, parity])?;
        }
        for ((e, r), shown) in e.iter().zip(&r_bits).zip(&shown) {
            // A public constant's tag is its value.
            self.field.link.assert_zero(&[*e + *r + Gf128::from_bits((*shown).into())])?;
        }
        Ok(())
    }

    /// Random bits for each set, in both parts.
    #[expect(clippy::type_complexity, reason = "wires of both kinds")]
    fn masks(&mut self, sets: usize, n: usize) -> Result<(Vec<Gf128>, Vec<Authenticated<F61, M>>), Error> {
        let mut random = vec![0; sets];
        self.random.bytes(&mut random);
        let random: Vec<bool> = random.into_iter().map(|byte| byte & 1 == 1).collect();
        let mut elements: Vec<F61> = random.iter().map(|mask| bit(*mask)).collect();
        match self.lie {
            Lie::Mask(set) => elements[set] = bit(!random[set]),
            Lie::MaskNotABit(set) => elements[set] += F61::new(2),
            Lie::Foreseen(conversion, seed) => {
                let hit = members(seed, sets, n).into_iter().map(|members| members[conversion]);
                elements = random.iter().zip(hit).map(|(mask, hit)| bit(mask ^ hit)).collect();
            }
            _ => {}
        }
        self.field.send_elements()?;
        let bits = random.iter().map(|mask| F2::new(*mask)).collect::<Vec<_>>();
        let r_bits = self.field.link.secret(sets, &mut |_| Ok(bits.clone()))?;
        let r = self.field.secret(sets, &mut |_| Ok(elements.clone()))?;
        self.field.assert_products(&r, &r, &r)?;
        Ok((r_bits, r))
    }

    /// Commits to the digits of each sum.
    fn digits(
        &mut self,
        width: usize,
        sums: &[Authenticated<F61, M>],
    ) -> Result<Vec<Vec<Authenticated<F61, M>>>, Error> {
        let mut digits = Vec::new();
        for (set, sum) in sums.iter().enumerate() {
            let bytes = encode(sum.x);
            let mut values: Vec<F61> = (0..width).map(|l| bit(bytes[l / 8] >> (l % 8) & 1 == 1)).collect();
            match self.lie {
                Lie::Digit(at, digit) if at == set => values[digit] = F61::new(1) - values[digit],
                Lie::Digits(at) if at == set => {
                    values[0] += F61::new(2);
                    values[1] -= F61::new(1);
                }
                _ => {}
            }
            digits.push(values);
        }
        let wires = self.field.secret(width * sums.len(), &mut |_| Ok(digits.concat()))?;
        Ok(wires.chunks(width).map(<[_]>::to_vec).collect())
    }
}

impl<M: Mac<F61>> Backend for MixedReference<'_, M> {
    type Error = Error;
}

volery_circuit::delegate_ring!(['a, M: Mac<F61>] MixedReference<'a, M>, F2, bits::Reference<'a>, |this| &mut this.field.link);
volery_circuit::delegate_polynomials!(['a, M: Mac<F61>] MixedReference<'a, M>, F2, bits::Reference<'a>, |this| &mut this.field.link);
volery_circuit::delegate_ring!(['a, M: Mac<F61>] MixedReference<'a, M>, F61, Reference<F61, M, bits::Reference<'a>>, |this| &mut this.field);
volery_circuit::delegate_polynomials!(['a, M: Mac<F61>] MixedReference<'a, M>, F61, Reference<F61, M, bits::Reference<'a>>, |this| &mut this.field);

impl<M: Mac<F61>> Convert<F61> for MixedReference<'_, M> {
    fn convert_bits(&mut self, bits: &[Gf128]) -> Result<Vec<Authenticated<F61, M>>, Error> {
        let first = self.conversions.len();
        let mut values: Vec<F61> = bits.iter().map(|wire| bit(wire.to_bits() & 1 == 1)).collect();
        if let Lie::Other(conversion) | Lie::NotABit(conversion) | Lie::Foreseen(conversion, _) = self.lie
            && let Some(value) =
                conversion.checked_sub(first).and_then(|conversion| values.get_mut(conversion))
        {
            let not_a_bit = matches!(self.lie, Lie::NotABit(_));
            *value = if not_a_bit { *value + F61::new(2) } else { F61::new(1) - *value };
        }
        let elements = self.field.secret(bits.len(), &mut |_| Ok(values.clone()))?;
        self.field.assert_products(&elements, &elements, &elements)?;
        self.conversions.extend(bits.iter().copied().zip(elements.iter().copied()));
        Ok(elements)
    }

    fn peek(&self, elements: &[Authenticated<F61, M>], look: &mut dyn FnMut(F61)) {
        elements.iter().for_each(|element| look(element.x));
    }
}
