/** The wall time at which every world begins: 2026-01-01T00:00:00Z. */
export const EPOCH_MS = 1_767_225_600_000;
