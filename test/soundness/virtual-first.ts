// Loads the kit when the gates are in place already, as a test does whose set-up is faultlane/virtual.
await import("../../sim/realm/virtual.ts");
const { simulate } = await import("../../sim/run/simulate.ts");
const { readScenario } = await import("../sim/read-scenarios.ts");
const { verdict, digest } = await simulate(readScenario("hostile-client"), { seed: 1 });
console.log(JSON.stringify({ verdict, digest }));
