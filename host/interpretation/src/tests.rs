//! Rules, texts and answers, of every version that is built in.

mod answers;
mod arbitrary;
mod canonical;
mod loading;
mod pointers;
mod samples;
mod sections;
mod texts;
mod unknown;
mod versions;
