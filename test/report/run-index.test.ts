import { describe, expect, test } from "vitest";
import type { RunReport } from "../../sim/run/run-report.ts";
import { runIndexFrom } from "../../sim/report/run-index.ts";
import { ABORTED, OURS, runOf } from "../page/runs.ts";

async function indexed(yaml: string, page: string, over: Partial<RunReport> = {}) {
  return { report: { ...(await runOf(yaml)), ...over }, page };
}

describe("runIndexFrom()", () => {
  test("lists what broke first, with its promises, and links each run's page", async () => {
    const html = runIndexFrom([
      await indexed(OURS, "ours.seed-1.html", { scenario: "ours" }),
      await indexed(ABORTED, "aborted.seed-1.html", { scenario: "aborted" }),
    ]);
    expect(html).toContain('<p class="broken">2 runs: 1 held, 1 broke a promise</p>');
    expect(html).toContain("<caption>Runs to look at: 1</caption>");
    expect(html.indexOf("./aborted.seed-1.html")).toBeLessThan(html.indexOf("./ours.seed-1.html"));
    expect(html).toContain(
      "<li><b>I1</b> a key is held exactly while its group's poll is alive and accepting<br>",
    );
    expect(html).not.toContain("<script");
  });

  test("says how often each fault struck", async () => {
    const run = await indexed(OURS, "a.html");
    const stats = { ...run.report.stats, faults: [["runner-1: crash", 3]] as const };
    expect(runIndexFrom([{ ...run, report: { ...run.report, stats } }])).toContain(
      "<li>3 × runner-1: crash</li>",
    );
  });

  test("takes names for text: in tags, in links, in a promise", async () => {
    const name = `"><img src=x onerror=alert(1)> '#%?/`;
    const run = await indexed(ABORTED, `${name}.html`, { scenario: name });
    const violations = run.report.violations.map((one) => ({ ...one, detail: name }));
    const html = runIndexFrom([{ ...run, report: { ...run.report, violations } }]);
    expect(html).not.toContain("<img");
    expect(html).toContain(`href="./${encodeURIComponent(`${name}.html`)}"`);
  });

  test("writes an index of no run", () => {
    expect(runIndexFrom([])).toContain("<h1>Runs</h1>");
  });
});
