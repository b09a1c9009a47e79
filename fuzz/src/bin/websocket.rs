//! See `volery_fuzz::TARGETS`.
#![cfg_attr(fuzzing, no_main)]

volery_fuzz::fuzz_main!("websocket");
