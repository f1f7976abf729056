//! Answers about entities and persons that do not exist.
