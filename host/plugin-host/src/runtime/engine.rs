use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// Entries of the function tables of one call; `lopdf` has some 500.
pub(crate) const TABLE_ELEMENTS: usize = 20_000;

/// Memory that a pooled slot keeps between calls, in bytes: allocating it again costs more than
/// clearing it.
const KEPT_MEMORY: usize = 32 * 1024 * 1024;

/// Bytes of an instance's table that stay resident; the PDF plugin's table has 8 KiB.
const KEPT_TABLE: usize = 64 * 1024;

/// Core instances, tables and memories of one component: the plugin's module
/// and the two that `wit-component` puts around it.
pub(crate) const CORE_INSTANCES: u32 = 4;
pub(crate) const TABLES: u32 = 4;
pub(crate) const MEMORIES: u32 = 1;

/// Starts an engine for `slots` concurrent calls.
///
/// Instances come from a pool if the address space has room for one, and are made on demand
/// otherwise.
pub(crate) fn start(slots: u32, memory_bytes: usize) -> wasmtime::Result<Engine> {
    let mut config = config();
    config.allocation_strategy(pool(slots, memory_bytes));
    Engine::new(&config).or_else(|error| {
        tracing::warn!(
            error = format!("{error:#}"),
            "no room for a pool of plugin instances, making them on demand"
        );
        config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
        Engine::new(&config)
    })
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        // The same input gives the same bytes on every machine.
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        // The limits are made for one 32-bit linear memory.
        .wasm_multi_memory(false)
        .wasm_memory64(false);
    config
}

fn pool(slots: u32, memory_bytes: usize) -> InstanceAllocationStrategy {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(slots)
        .total_core_instances(slots.saturating_mul(CORE_INSTANCES))
        .total_memories(slots.saturating_mul(MEMORIES))
        .total_tables(slots.saturating_mul(TABLES))
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memories_per_component(MEMORIES)
        .max_tables_per_component(TABLES)
        .max_memory_size(memory_bytes)
        .table_elements(TABLE_ELEMENTS)
        .linear_memory_keep_resident(KEPT_MEMORY)
        .table_keep_resident(KEPT_TABLE)
        // The scan does not clear pages that the kernel has swapped out, so the next call could
        // read the last one's document.
        .pagemap_scan(Enabled::No);
    InstanceAllocationStrategy::Pooling(pool)
}
