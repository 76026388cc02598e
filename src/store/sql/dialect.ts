/** The SQL dialects that the statements of a store are written in. */
export type SqlDialect = "sqlite" | "postgres";
