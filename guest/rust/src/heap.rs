//! The allocator: takes the heap of `volery.ld` from its start to its end, and takes back only what was taken
//! last. Programs are short, and each instruction is proved.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

unsafe extern "C" {
    static mut __heap_start: u8;
    static mut __heap_end: u8;
}

/// Where the next allocation begins; 0 before the first.
struct Heap(UnsafeCell<usize>);

// SAFETY: a program has one thread.
unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap(UnsafeCell::new(0));

// SAFETY: each allocation lies in the heap, and after all that are still in use; `dealloc` and `realloc` give
// back or enlarge only the last one.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: one thread, and no call of this within another.
        let next = unsafe { &mut *self.0.get() };
        if *next == 0 {
            *next = &raw mut __heap_start as usize;
        }
        let end = &raw mut __heap_end as usize;
        let start = next.checked_next_multiple_of(layout.align());
        let after = start.and_then(|start| start.checked_add(layout.size()));
        match (start, after) {
            (Some(start), Some(after)) if after <= end => {
                *next = after;
                start as *mut u8
            }
            _ => null_mut(),
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        let next = unsafe { &mut *self.0.get() };
        if pointer as usize + layout.size() == *next {
            *next = pointer as usize;
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let next = unsafe { &mut *self.0.get() };
        let start = pointer as usize;
        let end = &raw mut __heap_end as usize;
        if start + layout.size() == *next
            && let Some(after) = start.checked_add(size).filter(|after| *after <= end)
        {
            *next = after;
            return pointer;
        }
        if size <= layout.size() {
            return pointer;
        }
        // SAFETY: `size` is not 0, and not more than a layout may have, as the caller promises.
        let copy = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !copy.is_null() {
            // SAFETY: the new allocation is larger, and apart from the old one.
            unsafe { pointer.copy_to_nonoverlapping(copy, layout.size()) };
        }
        copy
    }
}
