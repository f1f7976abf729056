use std::sync::{Arc, Mutex};

use tokio::task::JoinHandle;

use crate::support::control::{Entry, WorldControl};
use crate::support::demo::Demo;

/// Counts the rings of phones for logins. The world remembers them for a limited time, so this
/// listens all the time.
pub(super) struct Rings {
    world: Arc<WorldControl>,
    heard: Arc<Mutex<Heard>>,
    listening: JoinHandle<()>,
}

#[derive(Default)]
struct Heard {
    last: u64,
    rings: usize,
}

impl Rings {
    pub(super) fn begin(world: &Demo) -> Self {
        let world = Arc::new(WorldControl::of(world));
        let heard = Arc::<Mutex<Heard>>::default();
        let (listener, note) = (world.clone(), heard.clone());
        let listening = tokio::spawn(async move {
            loop {
                let last = note.lock().unwrap().last;
                let entries = listener.next(last).await;
                note.lock().unwrap().hear(&entries);
            }
        });
        Self {
            world,
            heard,
            listening,
        }
    }

    /// Returns the number of rings until now.
    pub(super) async fn end(self) -> usize {
        self.listening.abort();
        let last = self.heard.lock().unwrap().last;
        let entries = self.world.journal(last).await;
        let mut heard = self.heard.lock().unwrap();
        heard.hear(&entries);
        heard.rings
    }
}

impl Heard {
    fn hear(&mut self, entries: &[Entry]) {
        for entry in entries.iter().filter(|entry| entry.number > self.last) {
            self.rings += usize::from(entry.rang_for("authentication"));
        }
        self.last = entries.last().map_or(self.last, |entry| entry.number);
    }
}
