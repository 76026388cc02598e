import { readFileSync } from "node:fs";
import { XmlDocument, type XmlElement, XsdValidator } from "libxml2-wasm";

const SCHEMA = readFileSync(new URL("junit.xsd", import.meta.url), "utf8");

/** A test case as a reader of JUnit XML sees it. */
export interface ReadCase {
  readonly suite: string;
  readonly name: string;
  readonly failure?: { readonly type: string; readonly message: string; readonly text: string };
}

/**
 * Reads JUnit XML.
 *
 * @throws {Error} when it is not well-formed, not valid, or a count is wrong
 */
export function readJunit(text: string): readonly ReadCase[] {
  using document = XmlDocument.fromString(text);
  using schema = XmlDocument.fromString(SCHEMA);
  using validator = XsdValidator.fromDoc(schema);
  validator.validate(document);
  const { root } = document;
  const suites = elements(root, "testsuite");
  assertCounts(root, elements(root, "testsuite/testcase"));
  return suites.flatMap((suite) => {
    const cases = elements(suite, "testcase");
    assertCounts(suite, cases);
    return cases.map((one): ReadCase => {
      const [failure] = elements(one, "failure");
      const read = { suite: of(suite, "name"), name: of(one, "name") };
      if (failure === undefined) return read;
      const [type, message] = [of(failure, "type"), of(failure, "message")];
      return { ...read, failure: { type, message, text: failure.content } };
    });
  });
}

function assertCounts(element: XmlElement, cases: readonly XmlElement[]): void {
  const failures = cases.filter((one) => elements(one, "failure").length > 0).length;
  const [tests, failed] = [of(element, "tests"), of(element, "failures")].map(Number);
  if (tests !== cases.length || failed !== failures) {
    throw new Error(`Wrong counts: ${tests} and ${failed}, not ${cases.length} and ${failures}`);
  }
}

function elements(element: XmlElement, path: string): readonly XmlElement[] {
  return element.find(path) as XmlElement[];
}

function of(element: XmlElement, name: string): string {
  return element.attr(name)?.value ?? "";
}
