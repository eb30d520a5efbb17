// folder_to_model FOLDER OUT [NAME=VALUE...]: photographs of a folder to OUT/sparse/0, a model of
// COLMAP. OUT exists. NAME=VALUE: options of bf_collect().
//   rustc -O folder_to_model.rs $(pkg-config --libs-only-L bifocal_c)
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_void};
use std::{env, mem, process, ptr};

#[repr(C)]
struct Progress {
    size: usize,
    stage: *const c_char,
    unit: *const c_char,
    done: i64,
    total: i64,
}
#[repr(C)]
struct Callbacks {
    size: usize,
    user: *mut c_void,
    progress: Option<extern "C" fn(*mut c_void, *const Progress) -> c_int>,
    is_cancelled: Option<extern "C" fn(*mut c_void) -> c_int>,
    note: Option<extern "C" fn(*mut c_void, *const c_char)>,
}
#[repr(C)]
#[derive(Default)]
struct CollectResult {
    size: usize,
    images: i64,
    features: i64,
    left_out: i64,
    pairs: i64,
    matched: i64,
    verified: i64,
    is_resumed: i32,
    was_complete: i32,
}
#[repr(C)]
#[derive(Default)]
struct MapResult {
    size: usize,
    models: i64,
    doubted: i64,
    written: i64,
    images: i64,
    points: i64,
    observations: i64,
    left_out: i64,
    mean_error: f64,
}
enum Queue {}
enum Options {}

#[link(name = "bifocal_c")]
extern "C" {
    fn bf_error() -> *const c_char;
    fn bf_queue_open(devices: *const c_char, out: *mut *mut Queue) -> c_int;
    fn bf_queue_free(queue: *mut Queue);
    fn bf_options_create(call: *const c_char, out: *mut *mut Options) -> c_int;
    fn bf_options_set(options: *mut Options, name: *const c_char, value: *const c_char) -> c_int;
    fn bf_options_set_callbacks(options: *mut Options, callbacks: *const Callbacks) -> c_int;
    fn bf_options_free(options: *mut Options);
    #[rustfmt::skip]
    fn bf_collect(queue: *mut Queue, paths: *const *const c_char, path_count: usize, database: *const c_char,
                  options: *const Options, result: *mut CollectResult) -> c_int;
    #[rustfmt::skip]
    fn bf_map(queue: *mut Queue, database: *const c_char, photographs: *const c_char, folder: *const c_char,
              options: *const Options, result: *mut MapResult) -> c_int;
}

fn check(code: c_int) {
    if code != 0 {
        eprintln!("{}", unsafe { CStr::from_ptr(bf_error()) }.to_string_lossy());
        process::exit(code);
    }
}

fn text(value: &str) -> CString {
    CString::new(value).expect("a text without zeros")
}

extern "C" fn print_progress(_user: *mut c_void, progress: *const Progress) -> c_int {
    let p = unsafe { &*progress };
    let (stage, unit) = unsafe { (CStr::from_ptr(p.stage), CStr::from_ptr(p.unit)) };
    eprint!("\r{}: {} {}", stage.to_string_lossy(), p.done, unit.to_string_lossy());
    0 // another value cancels the call
}

fn options(call: &str, settings: &[String]) -> *mut Options {
    let mut made = ptr::null_mut();
    let callbacks = Callbacks {
        size: mem::size_of::<Callbacks>(),
        user: ptr::null_mut(),
        progress: Some(print_progress),
        is_cancelled: None,
        note: None,
    };
    check(unsafe { bf_options_create(text(call).as_ptr(), &mut made) });
    for (name, value) in settings.iter().map(|s| s.split_once('=').expect("NAME=VALUE")) {
        check(unsafe { bf_options_set(made, text(name).as_ptr(), text(value).as_ptr()) });
    }
    check(unsafe { bf_options_set_callbacks(made, &callbacks) });
    made
}

fn main() {
    let args: Vec<String> = env::args().collect();
    if args.len() < 3 {
        eprintln!("usage: folder_to_model FOLDER OUT [NAME=VALUE...]");
        process::exit(2);
    }
    let (collect, map) = (options("collect", &args[3..]), options("map", &[]));
    let (folder, database) = (text(&args[1]), text(&format!("{}/photographs.db", args[2])));
    let sparse = text(&format!("{}/sparse", args[2]));
    let mut queue = ptr::null_mut();
    let mut collected = CollectResult { size: mem::size_of::<CollectResult>(), ..Default::default() };
    let mut mapped = MapResult { size: mem::size_of::<MapResult>(), ..Default::default() };
    unsafe {
        check(bf_queue_open(text("auto").as_ptr(), &mut queue));
        check(bf_collect(queue, [folder.as_ptr()].as_ptr(), 1, database.as_ptr(), collect, &mut collected));
        check(bf_map(queue, database.as_ptr(), folder.as_ptr(), sparse.as_ptr(), map, &mut mapped));
        bf_options_free(map);
        bf_options_free(collect);
        bf_queue_free(queue);
    }
    println!("{} of {} pairs are verified", collected.verified, collected.pairs);
    #[rustfmt::skip]
    println!("{}/sparse/0: {} of {} images, {} points, mean error {:.2} px", args[2], mapped.images,
             collected.images, mapped.points, mapped.mean_error);
    process::exit(if mapped.models > 0 { 0 } else { 5 });
}
