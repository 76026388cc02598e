/** Operands of each type, the limits of some among them. */
const OPERANDS = [
  ...["NULL", "0", "7", "-3", "2147483647", "9000000000", "2.50", "-0.5", "1.5::float8"],
  ...["true", "false", "''", "'7'", "'a b'", "'x'::text", "NULL::text", "7::bigint"],
  ...["'2026-01-01T00:00:00Z'::timestamptz", "interval '90 min'", "interval '-1 day 2 s'"],
  ...[`'{"n": 1, "to": {"city": "Ulm"}}'::jsonb`, `'[1, "x", null]'::jsonb`, "'7'::jsonb"],
  ...["'null'::jsonb", "NULL::jsonb", "NULL::interval", "'{n}'"],
];
/** Of those some, where all pairs with something else would be too many. */
const FEW = [
  ...["NULL", "0", "7", "2.50", "1.5::float8", "true", "'a b'", "'x'::text"],
  ...["'2026-01-01T00:00:00Z'::timestamptz", "interval '90 min'", `'{"n": 1}'::jsonb`],
  `'[1, "x"]'::jsonb`,
];

const BINARY = [
  ...["+", "-", "*", "/", "%", "||", "=", "<>", "<", "<=", ">", ">=", "->", "->>", "#>", "#>>"],
  ...["@>", "?", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "AND", "OR", "^", "LIKE", "IN"],
];
const UNARY = ["-?", "+?", "NOT ?", "? IS NULL", "? IS NOT NULL", "? IS TRUE", "? IS NOT FALSE"];
const TYPES = [
  ...["int", "bigint", "numeric", "float8", "text", "boolean", "timestamptz", "interval", "jsonb"],
  ...["varchar", "uuid"],
];
const FUNCTIONS = [
  ...["least", "greatest", "power", "abs", "floor", "ceil", "ceiling", "round", "to_timestamp"],
  ...["jsonb_build_object", "jsonb_set", "coalesce", "count", "min", "max", "sum", "pg_notify"],
  ...["make_interval", "exists", "now", "pg_try_advisory_lock", "pg_advisory_unlock", "nothing"],
];
const FIELDS = ["epoch", "hour", "day", "millennium"];

/** Expressions with operands of every type, right and wrong ones, by a short name of each group. */
export function* expressionGroups(): Generator<
  readonly [name: string, expressions: readonly string[]]
> {
  for (const operator of BINARY) {
    yield [operator, FEW.flatMap((a) => FEW.map((b) => `${a} ${operator} ${b}`))];
    yield [`${operator} 7`, OPERANDS.map((a) => `${a} ${operator} 7`)];
  }
  for (const one of UNARY) yield [one, OPERANDS.map((operand) => one.replace("?", operand))];
  for (const type of TYPES) yield [`::${type}`, OPERANDS.map((operand) => `(${operand})::${type}`)];
  for (const name of FUNCTIONS) {
    yield [`${name} of none`, [`${name}()`, name]];
    yield [`${name} of one`, OPERANDS.map((operand) => `${name}(${operand})`)];
    yield [
      `${name} of two`,
      FEW.flatMap((a, at) => [a, FEW.at(at - 3)].map((b) => `${name}(${a}, ${b})`)),
    ];
    const three = FEW.map((c) => `${name}(${FEW.at(-1)}, '{0}', ${c})`);
    yield [`${name} of more`, [...three, `${name}(1, 2, 3, 4)`, `${name}(1,)`, `${name}(*)`]];
  }
  for (const field of FIELDS) {
    yield [`extract ${field}`, OPERANDS.map((operand) => `extract(${field} FROM ${operand})`)];
  }
  yield ["CASE", FEW.flatMap((a) => FEW.map((b) => `CASE ${a} WHEN ${b} THEN 1 ELSE '2' END`))];
  yield ["CASE WHEN", FEW.flatMap((a) => FEW.map((b) => `CASE WHEN true THEN ${a} ELSE ${b} END`))];
  yield ["ANY", OPERANDS.flatMap((a) => [`${a} = ANY('{7,x}')`, `${a} = ANY(ARRAY[${a}, 7])`])];
  yield ["lists", FEW.flatMap((a) => FEW.map((b) => `${a} IN (${b}, ${a})`))];
  yield ["between", FEW.map((a) => `${a} BETWEEN 0 AND 9`)];
}
