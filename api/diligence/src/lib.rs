//! The HTTP contract of the due-diligence API: its operations, requests, views
//! and problems.

pub mod kyc;
