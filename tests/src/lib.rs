//! Tests that see the whole product.
