import { inflateSync } from "fflate";
import { describe, expect, it } from "vitest";
import { PackedTrace } from "../../sim/page/packed-trace.ts";
import { htmlPageFrom, type PageCode, runDataFrom } from "../../sim/report/html-page.ts";
import type { RunReport } from "../../sim/run/run-report.ts";
import { ABORTED, runOf } from "../page/runs.ts";

const CODE: PageCode = { script: "start()", style: "p{}" };

function pageOf(report: RunReport): string {
  return htmlPageFrom(CODE, { kitVersion: "1.2.3", run: { report, rerun: "again" } });
}

function textOf(page: string, id: string): string {
  return new RegExp(`id="${id}">([^<]*)</script>`).exec(page)?.[1] ?? "";
}

describe("htmlPageFrom()", () => {
  it("gives the same bytes for the same run", async () => {
    expect(pageOf(await runOf(ABORTED))).toBe(pageOf(await runOf(ABORTED)));
  });

  it("contains the run: what broke, the scenario, and the trace", async () => {
    const report = await runOf(ABORTED);
    const page = pageOf(report);
    const data = JSON.parse(textOf(page, "report-data")) as {
      runs: [{ traceLength: number; yaml: string; rerun: string; violations: object[] }];
    };
    const [{ traceLength, yaml, rerun, violations }] = data.runs;
    expect(yaml).toContain("profile: airflow-3.3");
    expect(rerun).toBe("again");
    expect(violations).toHaveLength(report.violations.length);
    const base64 = textOf(page, "report-trace-0");
    expect(base64).toHaveLength(traceLength);
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    expect([...new PackedTrace(inflateSync(bytes))]).toEqual(report.trace);
  });

  it("lets nothing of a run become markup or script", async () => {
    const report = await runOf(ABORTED);
    const evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>";
    const page = pageOf({
      ...report,
      scenario: evil,
      violations: report.violations.map((one) => ({ ...one, detail: evil, story: [evil] })),
      trace: [{ at: 0, host: evil, kind: "published", ref: evil, key: evil }],
    });
    expect(page.match(/<script/g)).toHaveLength(3);
    expect(page.match(/<\/script/g)).toHaveLength(3);
    expect(page).not.toContain("<img");
    expect(page).not.toContain("<!--");
    expect(page).toContain("<title>&lt;/script&gt;");
  });

  it("allows its own script and style alone, and fetches nothing", async () => {
    const page = pageOf(await runOf(ABORTED));
    // The hashes of "start()" and "p{}".
    expect(page).toContain("script-src 'sha256-");
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/(src|href)="(?!data:)/);
  });

  it("says what else there is in sections", async () => {
    const report = await runOf(ABORTED);
    const section = { title: "Why", blocks: [{ kind: "text", text: "<b>" }] } as const;
    const parts = { kitVersion: "1", run: { report, rerun: "" }, sections: [section] };
    expect(textOf(htmlPageFrom(CODE, parts), "report-data")).toContain('"title":"Why"');
  });
});

describe("runDataFrom()", () => {
  it("leaves out what only a search needs", async () => {
    const [violation] = runDataFrom({ report: await runOf(ABORTED), rerun: "" }, 0).violations;
    expect(Object.keys(violation ?? {})).not.toContain("symptom");
  });
});
