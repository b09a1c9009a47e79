//! The system's allocator, which asks Linux for huge pages where large buffers are.
//!
//! Proofs read tables of a megabyte and more at random places, and stream through buffers as large. In pages
//! of 4 KiB most of these reads miss the processor's cache of addresses; in a virtual machine each miss is a
//! walk through two tables. In pages of 2 MiB nearly none does. Most distributions give such pages only to
//! memory for which a program asks (`madvise` in `/sys/kernel/mm/transparent_hugepage/enabled`).
//!
//! The program and the Python package have this allocator. A program of yours takes it by
//!
//! ```
//! #[global_allocator]
//! static ALLOCATOR: volery_allocator::HugePages = volery_allocator::HugePages;
//! # fn main() {}
//! ```
//!
//! It is the system's allocator everywhere but on Linux. docs/performance.md has what it gains.

use std::alloc::{GlobalAlloc, Layout, System};

/// The system's allocator. For buffers of [`HugePages::LEAST`] bytes and more it asks Linux for huge pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct HugePages;

impl HugePages {
    /// The size of the smallest buffer for which huge pages are asked for, in bytes. Several such ones lie in
    /// one huge page; smaller ones are not worth a call of the system.
    pub const LEAST: usize = 1 << 18;

    /// Asks for huge pages at and around `pointer`, which may be null.
    fn ask(pointer: *mut u8, length: usize) {
        if length >= Self::LEAST && !pointer.is_null() {
            advise(pointer, length);
        }
    }
}

/// Asks for huge pages wherever one touches the buffer: what lies beside it in a huge page gains, too.
#[cfg(target_os = "linux")]
fn advise(pointer: *mut u8, length: usize) {
    /// The size of a huge page where small ones have 4 KiB.
    const HUGE: usize = 1 << 21;
    let address = pointer.addr();
    let begin = address & !(HUGE - 1);
    let Some(end) = address.checked_add(length).and_then(|end| end.checked_next_multiple_of(HUGE)) else {
        return;
    };
    // SAFETY: this advice changes no byte of any memory, wherever it is; what is not mapped is left alone. It
    // is a wish, so nothing depends on an error.
    let _ = unsafe {
        rustix::mm::madvise(pointer.with_addr(begin).cast(), end - begin, rustix::mm::Advice::LinuxHugepage)
    };
}

#[cfg(not(target_os = "linux"))]
fn advise(_pointer: *mut u8, _length: usize) {}

// SAFETY: all memory is the system's allocator's, which gets each call as it is. `ask` changes no memory,
// does not allocate and does not panic.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        let pointer = unsafe { System.alloc(layout) };
        Self::ask(pointer, layout.size());
        pointer
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        let pointer = unsafe { System.alloc_zeroed(layout) };
        Self::ask(pointer, layout.size());
        pointer
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        let pointer = unsafe { System.realloc(pointer, layout, new_size) };
        Self::ask(pointer, new_size);
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: HugePages = HugePages;

    /// Whether huge pages were asked for where the byte is; none if this kernel has no such pages.
    #[cfg(target_os = "linux")]
    fn asked(byte: &u8) -> Option<bool> {
        std::fs::metadata("/sys/kernel/mm/transparent_hugepage").ok()?;
        let address = core::ptr::from_ref(byte).addr();
        let maps = std::fs::read_to_string("/proc/self/smaps").expect("it can be read");
        let mut inside = false;
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let bound = |text: &str| usize::from_str_radix(text, 16).ok();
            if let Some((Some(begin), Some(end))) = range.map(|(begin, end)| (bound(begin), bound(end))) {
                inside = (begin..end).contains(&address);
            } else if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| inside) {
                return Some(flags.split(' ').any(|flag| flag == "hg"));
            }
        }
        panic!("{address:x} is not mapped");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn large_buffers_get_huge_pages_however_they_are_made() {
        for length in [HugePages::LEAST, 3 << 20, 40 << 20] {
            let mut grown = vec![1_u8; 100];
            grown.reserve_exact(length);
            grown.resize(length, 1);
            let (zeros, filled) = (vec![0_u8; length], vec![7_u8; length]);
            for buffer in [&zeros, &filled, &grown] {
                for byte in [&buffer[0], &buffer[length / 2], &buffer[length - 1]] {
                    assert_ne!(asked(byte), Some(false), "{length}");
                }
            }
            assert!(zeros.iter().all(|byte| *byte == 0) && filled.iter().all(|byte| *byte == 7));
            assert!(grown.iter().all(|byte| *byte == 1));
        }
    }

    #[test]
    fn buffers_keep_what_is_in_them_while_they_grow_and_shrink() {
        let mut bytes: Vec<usize> = Vec::new();
        for length in [10, 40_000, 600_000, 2_000_000, 50_000, 3] {
            bytes.truncate(length);
            bytes.extend(bytes.len()..length);
            bytes.shrink_to_fit();
            assert!(bytes.iter().enumerate().all(|(i, x)| i == *x), "{length}");
        }
    }
}
