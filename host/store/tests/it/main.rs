//! The behaviour of the store, the same on every engine.

mod support;

mod audit;
mod backup;
mod earmarks;
mod faults;
mod files;
mod flips;
mod folder;
mod ids;
mod jobs;
mod lease;
mod limits;
mod moving_rows;
mod places;
mod postgres;
mod power_loss;
mod reading_ahead;
mod restore;
mod restore_shared;
mod rotation;
mod salvage;
mod seals;
mod shared;
mod sums;
mod tables;
mod torn;
mod transactions;
