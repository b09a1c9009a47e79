//! Crates that use atomics, on a machine that has none and needs none, since it has one thread.
//!
//! Loads and stores are ordinary ones. What reads and writes in one step, Rust's library does not have for
//! this target; crates that offer `critical-section` take it from there.
#![no_std]
#![no_main]

use core::sync::atomic::{self, Ordering};

use once_cell::sync::OnceCell;
use portable_atomic::AtomicU32;
use volery_guest::{journal, secret};

volery_guest::entry!(main);

/// A critical section of a program with one thread and no interrupts: nothing has to be done.
struct Alone;

critical_section::set_impl!(Alone);

// SAFETY: nothing else runs, so whatever is between the two runs by itself.
unsafe impl critical_section::Impl for Alone {
    unsafe fn acquire() {}
    unsafe fn release((): ()) {}
}

static LAST: atomic::AtomicU32 = atomic::AtomicU32::new(7);
static SUM: AtomicU32 = AtomicU32::new(0);
static FIRST: OnceCell<u8> = OnceCell::new();

struct Journal;

impl log::Log for Journal {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        journal!("{}", record.args());
    }

    fn flush(&self) {}
}

fn main() -> u32 {
    // SAFETY: there is one thread.
    let set = unsafe { log::set_logger_racy(&Journal) };
    // SAFETY: as above.
    unsafe { log::set_max_level_racy(log::LevelFilter::Info) };
    for byte in secret() {
        LAST.store(u32::from(byte), Ordering::SeqCst);
        SUM.fetch_add(u32::from(byte), Ordering::SeqCst);
        FIRST.get_or_init(|| byte);
    }
    let (last, sum) = (LAST.load(Ordering::SeqCst), SUM.load(Ordering::SeqCst));
    log::info!("{:?} {last} {sum}", FIRST.get());
    u32::from(set.is_err())
}
