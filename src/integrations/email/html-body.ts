/**
 * A digest as HTML for mail clients: tables, inline styles, no image, no script. Clients that know
 * `prefers-color-scheme` take the colors of the style sheet; others that turn a mail dark invert the inline
 * ones. Gmail clips a message above 102 kB: lists and texts are bounded, and a test holds the largest.
 */
import { formatCost } from "../../core/lib/quantities.ts";
import type { Content } from "./content.ts";
import {
  type BodyOptions,
  budgetsPath,
  budgetText,
  countText,
  periodText,
  type ShownLine,
  type ShownSection,
  sectionsOf,
  spendText,
} from "./words.ts";

const h = Bun.escapeHTML;

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const style = {
  ground: "background-color:#f4f5f2;margin:0;padding:0",
  panel: "background-color:#ffffff;border:1px solid #e2e4e0;border-radius:8px",
  title: `${font};font-size:20px;line-height:28px;font-weight:700;color:#1b1f23;margin:0`,
  heading: `${font};font-size:15px;line-height:22px;font-weight:700;color:#1b1f23;margin:0`,
  text: `${font};font-size:15px;line-height:22px;color:#1b1f23;margin:0`,
  soft: `${font};font-size:13px;line-height:20px;color:#565d66;margin:0`,
  link: "color:#14665c;text-decoration:underline",
  button: `${font};font-size:15px;font-weight:600;color:#ffffff;text-decoration:none`,
  strong: "font-weight:700;color:#1b1f23",
  count: "font-weight:400;color:#565d66",
  line: "border-top:1px solid #e2e4e0",
} as const;

const darkStyle = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.ground{background-color:#121416!important}
.panel{background-color:#191c1f!important;border-color:#2c3136!important}
.ink{color:#e6e8ea!important}
.soft{color:#a3abb4!important}
.link{color:#6fd0c0!important}
.line{border-color:#2c3136!important}
}`;

const table = (attributes: string, rows: string): string =>
  `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" ${attributes}>` +
  `${rows}</table>`;

const link = (url: string, text: string): string =>
  `<a class="link" href="${h(url)}" style="${style.link}">${h(text)}</a>`;

const row = (content: string, padding = "0 20px 12px"): string =>
  `<tr><td style="padding:${padding}">${content}</td></tr>`;

/** The whole document of a mail. @param rows of the panel, below the title */
export function mailDocument(title: string, rows: string, footer: string): string {
  const panel = table(
    `class="panel" style="${style.panel}"`,
    row(`<h1 class="ink" style="${style.title}">${h(title)}</h1>`, "20px 20px 8px") + rows,
  );
  const page = table(
    'style="max-width:640px"',
    row(panel, "20px 12px 12px") + row(`<p class="soft" style="${style.soft}">${footer}</p>`, "0 32px 24px"),
  );
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="color-scheme" content="light dark">` +
    `<meta name="supported-color-schemes" content="light dark">` +
    `<title>${h(title)}</title><style>${darkStyle}</style></head>` +
    `<body class="ground" style="${style.ground}">` +
    table(`class="ground" style="${style.ground}"`, `<tr><td align="center">${page}</td></tr>`) +
    `</body></html>`
  );
}

export const paragraph = (html: string): string => row(`<p class="ink" style="${style.text}">${html}</p>`);

/** A link that looks like a button, also in clients that know no padding of links. */
export const button = (url: string, text: string): string =>
  row(
    `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>` +
      `<td style="background-color:#14665c;border-radius:6px;padding:10px 18px">` +
      `<a href="${h(url)}" style="${style.button}">${h(text)}</a></td></tr></table>`,
  );

export function htmlBody({ content, siteUrl, unsubscribe, now }: BodyOptions): string {
  const sections = sectionsOf(content, now).map((section) => sectionRows(section, siteUrl));
  const body =
    sections.length > 0 ? sections.join("") : paragraph("Nothing happened, and nothing waits for you.");
  const rows =
    row(`<p class="soft" style="${style.soft}">${h(periodText(content))}</p>`) +
    body +
    spendRows(content) +
    budgetRows(content, siteUrl) +
    row(`<p class="ink" style="${style.text}">${link(`${siteUrl}/`, "Open Today")}</p>`, "8px 20px 20px");
  const footer = `You asked for this digest. ${link(unsubscribe, "Unsubscribe")}`;
  return mailDocument(content.project ?? "All projects", rows, footer);
}

const headingRow = (title: string, count: number | null): string =>
  row(
    `<h2 class="ink" style="${style.heading}">${h(title)}` +
      `${count === null ? "" : ` <span class="soft" style="${style.count}">${countText(count)}</span>`}</h2>`,
    "16px 20px 4px",
  );

const sectionRows = ({ title, count, lines, more }: ShownSection, siteUrl: string): string =>
  headingRow(title, count) +
  lines.map((line) => lineRow(line, siteUrl)).join("") +
  (more ? row(`<p style="${style.soft}">${link(siteUrl + more.path, more.text)}</p>`, "8px 20px") : "");

const lineRow = ({ text, about, path }: ShownLine, siteUrl: string): string =>
  `<tr><td style="padding:0 20px"><div class="line" style="${style.line};padding:8px 0">` +
  `<p class="ink" style="${style.text};word-break:break-word">${link(siteUrl + path, text)}</p>` +
  `<p class="soft" style="${style.soft}">${h(about)}</p></div></td></tr>`;

function spendRows({ spend }: Content): string {
  const text = spendText(spend);
  if (text === null) return "";
  const cell = (value: string, align = "left") =>
    `<td class="soft" align="${align}" style="${style.soft};padding:2px 8px 2px 0">${h(value)}</td>`;
  const lines = spend.projects.map(
    ({ project, now, before }) =>
      `<tr>${cell(project)}${cell(formatCost(now), "right")}` +
      `${cell(`before: ${formatCost(before)}`, "right")}</tr>`,
  );
  return headingRow("Spend", null) + paragraph(h(text)) + row(table("", lines.join("")));
}

function budgetRows({ budgets }: Content, siteUrl: string): string {
  if (budgets.length === 0) return "";
  const lines = budgets.map(
    (one) =>
      `<p class="${one.percent >= 100 ? "ink" : "soft"}" style="${style.soft}` +
      `${one.percent >= 100 ? `;${style.strong}` : ""}">${h(budgetText(one))}</p>`,
  );
  const all = `<p style="${style.soft}">${link(siteUrl + budgetsPath, "All budgets")}</p>`;
  return headingRow("Budgets", null) + row(lines.join("") + all);
}
