/** The style of the index of runs: light and dark as the system has it; cards on narrow screens. */
export const RUN_INDEX_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --panel: #ffffff; --edge: #d3d8df; --text: #1b2430; --faint: #5b6675;
  --link: #1f5fbf; --bad: #c9253a; --good: #1c7444;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f141b; --panel: #171e27; --edge: #36414f; --text: #e4e9f0; --faint: #9aa7b8;
    --link: #7fb2ff; --bad: #ff6b7d; --good: #46c07f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 16px; max-width: 1400px;
  background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif;
}
header { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; }
h1 { margin: 0; font-size: 24px; }
header p { margin: 0; font-weight: 600; }
.held { color: var(--good); }
header .broken, .verdict.broken, .verdict.unexpected-success { color: var(--bad); }
table {
  width: 100%; margin: 16px 0; border-collapse: collapse;
  background: var(--panel); border: 1px solid var(--edge);
}
caption { padding: 8px 0; text-align: left; font-weight: 600; }
th, td {
  padding: 8px 12px; border-top: 1px solid var(--edge); text-align: left; vertical-align: top;
}
thead th { color: var(--faint); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; overflow-wrap: anywhere; }
td { overflow-wrap: anywhere; }
td:nth-last-child(-n + 2) { text-align: right; white-space: nowrap; }
ul { margin: 0; padding: 0; list-style: none; }
li + li { margin-top: 6px; }
i { color: var(--faint); font-style: normal; }
a { color: var(--link); }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.verdict { font-weight: 600; white-space: nowrap; }
@media (max-width: 760px) {
  body { padding: 10px; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, tbody th, td, caption { display: block; width: 100%; }
  tr { padding: 8px 12px; border-top: 1px solid var(--edge); }
  tbody th, td { padding: 2px 0; border: 0; }
  td:nth-last-child(-n + 2) { text-align: left; }
  td::before { content: attr(data-column) ": "; color: var(--faint); font-weight: 400; }
  caption { padding: 8px 12px; }
  td li { margin-left: 12px; }
}
`;
