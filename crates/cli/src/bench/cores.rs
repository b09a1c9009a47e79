//! Which processor cores a measurement's parties run on.
//!
//! The parties wake each other all the time. Left alone, the kernel therefore often puts both on one core,
//! and the same measurement prints half the speed. So each party's process keeps to cores of its own, as many
//! as it has threads, if there are enough for both.

use std::str::FromStr;

use crate::failure::Failure;

/// The numbers of some cores, as an argument: `0,1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cores(Vec<usize>);

impl Cores {
    /// Cores for the verifier and for the prover, `threads` each; `None` if this process may not use so many,
    /// or where processes cannot be kept to cores.
    pub(super) fn for_both(threads: u16) -> Option<[Self; 2]> {
        let (threads, ours) = (usize::from(threads), system::ours()?);
        let both = ours.get(..2 * threads).filter(|both| !both.is_empty())?;
        let (verifier, prover) = both.split_at(threads);
        Some([Self(verifier.to_vec()), Self(prover.to_vec())])
    }

    /// Keeps this process, and all threads that it starts from now on, to these cores.
    ///
    /// # Errors
    /// [`Failure::Session`] if the system refuses.
    pub(super) fn keep(&self) -> Result<(), Failure> {
        system::keep(&self.0).map_err(|error| {
            Failure::session(format!("cannot keep a party to cores {self}: {error}; --no-pin goes without"))
        })
    }
}

impl core::fmt::Display for Cores {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&numbers.join(","))
    }
}

impl FromStr for Cores {
    type Err = core::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split(',').map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The cores that this process may use.
    pub(super) fn ours() -> Option<Vec<usize>> {
        let set = sched_getaffinity(None).ok()?;
        Some((0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect())
    }

    pub(super) fn keep(cores: &[usize]) -> io::Result<()> {
        let mut set = CpuSet::new();
        for core in cores {
            if *core >= CpuSet::MAX_CPU {
                return Err(io::Error::from(io::ErrorKind::InvalidInput));
            }
            set.set(*core);
        }
        Ok(sched_setaffinity(None, &set)?)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    pub(super) fn ours() -> Option<Vec<usize>> {
        None
    }

    pub(super) fn keep(_cores: &[usize]) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_read_as_they_are_printed() {
        for cores in [Cores(vec![0]), Cores(vec![3, 17, 1023])] {
            assert_eq!(cores.to_string().parse(), Ok(cores));
        }
        for text in ["", "1,", "-1", "a"] {
            assert!(text.parse::<Cores>().is_err(), "{text}");
        }
    }

    #[test]
    fn both_parties_get_cores_of_their_own_or_none() {
        assert_eq!(Cores::for_both(0), None);
        assert_eq!(Cores::for_both(u16::MAX), None);
        let Some([verifier, prover]) = Cores::for_both(1) else { return };
        assert_eq!([verifier.0.len(), prover.0.len()], [1, 1]);
        assert_ne!(verifier, prover);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_is_kept_to_the_cores_that_it_was_told_and_to_no_others() {
        let first = system::ours().expect("some")[0];
        let kept = std::thread::spawn(move || {
            Cores(vec![first]).keep().expect("there");
            system::ours()
        });
        assert_eq!(kept.join().expect("no panic"), Some(vec![first]));
        assert!(Cores(vec![usize::MAX]).keep().is_err());
    }
}
