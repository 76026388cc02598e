import { RunModel } from "./model/run-model.ts";
import { PackedTrace } from "./packed-trace.ts";
import { ELEMENT_IDS, REPORT_FORMAT, type ReportData, type RunData } from "./report-data.ts";

/** A page whose data are not whole, or of another format. */
export class UnreadableReport extends Error {
  override readonly name = "UnreadableReport";
}

/**
 * Reads what the page was made with.
 *
 * @throws {UnreadableReport} when the file was cut short or is of another version
 */
export function dataOf(page: Document): ReportData {
  const text = page.getElementById(ELEMENT_IDS.data)?.textContent ?? "";
  let data: ReportData;
  try {
    data = JSON.parse(text) as ReportData;
  } catch (cause) {
    throw new UnreadableReport("The report's data are damaged", { cause });
  }
  if (data.format !== REPORT_FORMAT) {
    throw new UnreadableReport(`The report is of another format: "${String(data.format)}"`);
  }
  return data;
}

/**
 * Reads one run of the page with its trace.
 *
 * @throws {UnreadableReport} when its trace is not whole
 */
export async function runOf(page: Document, data: RunData, at: number): Promise<RunModel> {
  const text = page.getElementById(ELEMENT_IDS.trace(at))?.textContent ?? "";
  if (text.length !== data.traceLength) {
    const share = Math.floor((text.length * 100) / Math.max(data.traceLength, 1));
    throw new UnreadableReport(
      `The file is incomplete: it has ${share} % of the trace. Make it again with: ${data.rerun}`,
    );
  }
  try {
    return new RunModel(data, new PackedTrace(await inflated(bytesFrom(text))));
  } catch (cause) {
    throw new UnreadableReport(
      `The trace of the file is damaged. Make it again with: ${data.rerun}`,
      { cause },
    );
  }
}

function bytesFrom(base64: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
