//! The prover chooses these and the verifier demands them: the protocol, and the number of repetitions.

use core::fmt;

use crate::{Error, soundness};

/// The proof system of a proof. Both use the same computation and the same commitments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// ZKBoo, figure 6: contains both opened views in full, all output shares, and all commitments.
    Zkboo,
    /// ZKB++ (ePrint 2017/279): contains nothing that the verifier can compute itself, and has less than half
    /// the bytes.
    #[default]
    Zkbpp,
}

impl Protocol {
    /// Its number in files.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Zkboo => 0,
            Self::Zkbpp => 1,
        }
    }

    /// The protocol with this number in files.
    pub(crate) const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Zkboo),
            1 => Some(Self::Zkbpp),
            _ => None,
        }
    }

    /// Its name on command lines and in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zkboo => "zkboo",
            Self::Zkbpp => "zkbpp",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The soundness of a proof. A prover without a witness passes with probability at most `2^-sigma`; for a
/// file, this is its chance for each hash computation that it spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    sigma: u16,
}

impl Default for Parameters {
    /// 128 bits: 219 repetitions.
    fn default() -> Self {
        Self { sigma: 128 }
    }
}

impl Parameters {
    /// The greatest `sigma`. Commitments and challenges are hashes of 256 bits, and a prover that finds two
    /// equal commitments can open one in two ways. That takes `2^128` hashes, so more repetitions would not
    /// make a proof sounder.
    pub const MAX_SIGMA: u16 = 128;

    /// The least `sigma` that files should have: a forger can try a challenge with each hash that it
    /// computes.
    pub const FILE_SIGMA: u16 = 80;

    /// `sigma` bits of soundness. Files should have [`Parameters::FILE_SIGMA`] or more; 40 are enough for
    /// interactive proofs.
    ///
    /// # Errors
    /// [`Error::Parameters`] unless `sigma` is from 1 to [`Parameters::MAX_SIGMA`].
    pub fn new(sigma: u16) -> Result<Self, Error> {
        if sigma == 0 || sigma > Self::MAX_SIGMA {
            let most = Self::MAX_SIGMA;
            return Err(Error::Parameters(format!("sigma is {sigma} bits; 1 to {most} are possible")));
        }
        Ok(Self { sigma })
    }

    /// The soundness in bits.
    #[must_use]
    pub const fn sigma(self) -> u16 {
        self.sigma
    }

    /// `ceil(sigma / (log2(3) - 1))`: each repetition is passed with probability at most 2/3.
    #[must_use]
    pub fn repetitions(self) -> usize {
        // At most 219.
        soundness::repetitions(soundness::ZKBOO_ERROR_BITS, f64::from(self.sigma)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `2^(r + sigma) <= 3^r`, in big integers of 32-bit digits.
    fn is_enough(r: usize, sigma: usize) -> bool {
        let mut power = vec![1_u32];
        for _ in 0..r {
            let mut carry = 0;
            for digit in &mut power {
                let product = u64::from(*digit) * 3 + carry;
                *digit = product as u32;
                carry = product >> 32;
            }
            power.push(carry as u32);
        }
        (r + sigma) / 32 < power.len()
            && power
                .iter()
                .rposition(|&digit| digit != 0)
                .is_some_and(|top| 32 * top + 31 - power[top].leading_zeros() as usize >= r + sigma)
    }

    #[test]
    fn repetitions_are_the_fewest_that_reach_sigma() {
        for (sigma, repetitions) in [(40, 69), (80, 137), (128, 219)] {
            assert_eq!(Parameters::new(sigma).map(Parameters::repetitions), Ok(repetitions));
        }
        for sigma in 1..=Parameters::MAX_SIGMA {
            let r = Parameters::new(sigma).expect("in range").repetitions();
            assert!(is_enough(r, sigma.into()) && !is_enough(r - 1, sigma.into()), "{sigma}: {r}");
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        assert!(Parameters::new(0).is_err() && Parameters::new(129).is_err());
    }
}
