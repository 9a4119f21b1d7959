/**
 * The languages that texts are highlighted in, by the extension of their name. Each is one pattern, whose
 * alternatives each take time linear in what they match: uploads are read in the process of the server.
 */

export type TokenKind = "comment" | "string" | "number" | "keyword" | "name" | "added" | "removed";

export interface Language {
  /** Sticky. Its groups are named after the kinds of tokens; a `word` is a keyword, or nothing. */
  pattern: RegExp;
  keywords?: ReadonlySet<string>;
  /** Inside of a tag, from the token `open` to the token `close`. */
  tag?: RegExp;
}

const oneOf = (...patterns: string[]): RegExp => new RegExp(patterns.join("|"), "my");
const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Up to its end, or to the end of a line without one. */
const quoted = (quote: string): string => `${quote}(?:\\\\.|[^${quote}\\\\\\n])*${quote}?`;
const block = (start: string, end: string): string => `${start}[^]*?(?:${end}|(?![^]))`;
const number = "(?<number>\\b\\d[\\w.]*)";
const word = "(?<word>[A-Za-z_$@][\\w$]*)";
const hash = "(?<comment>#.*)";

const cLike: Language = {
  pattern: oneOf(
    `(?<comment>\\/\\/.*|${block("\\/\\*", "\\*\\/")})`,
    `(?<string>${quoted('"')}|${quoted("'")}|\`(?:\\\\[^]|[^\`\\\\])*\`?)`,
    number,
    word,
  ),
  keywords: words(
    "abstract as async await bool boolean break byte case catch char class const constexpr " +
      "continue debugger default defer delete do double else enum export extends extern false final " +
      "finally float fn for from func function get go goto if impl implements import in int " +
      "interface internal is let long loop match mod module mut namespace new nil null of operator " +
      "override package private protected pub public readonly return self set short sizeof static " +
      "string struct super switch template this throw throws trait true try type typedef typeof " +
      "undefined union unsafe unsigned use using val var virtual void where while with yield",
  ),
};

const script: Language = {
  pattern: oneOf(
    hash,
    `(?<string>${block('"""', '"""')}|${block("'''", "'''")}|${quoted('"')}|${quoted("'")})`,
    number,
    word,
  ),
  keywords: words(
    "False None True and as assert async await begin break case class continue def del do elif " +
      "else elsif end ensure except finally for from function global if import in include is lambda " +
      "local module next nil nonlocal not or pass raise require rescue return self super then try " +
      "unless until when while with yield true false",
  ),
};

const shell: Language = {
  pattern: oneOf(
    "(?<comment>(?<![\\w$\\\\])#.*)",
    `(?<string>"(?:\\\\[^]|[^"\\\\])*"?|'[^']*'?)`,
    "(?<name>\\$(?:\\w+|\\{[^}\\n]*\\}?))",
    number,
    word,
  ),
  keywords: words(
    "case cd do done echo elif else esac exit export fi for function if in local read return set " +
      "shift sudo then unset until while FROM RUN COPY CMD ENTRYPOINT ENV ARG WORKDIR EXPOSE USER " +
      "ADD",
  ),
};

const sqlWords =
  "add all alter and as asc avg begin between by case cast check column commit constraint count create " +
  "cross default delete desc distinct drop else end exists false foreign from full group having in index " +
  "inner insert into is join key left like limit max min not null offset on or order outer primary " +
  "references returning right rollback select set sum table then true union unique update using values " +
  "view when where with";

const sql: Language = {
  pattern: oneOf(
    `(?<comment>--.*|${block("\\/\\*", "\\*\\/")})`,
    "(?<string>'[^']*'?)",
    '(?<name>"[^"\\n]*"?)',
    number,
    word,
  ),
  keywords: words(`${sqlWords} ${sqlWords.toUpperCase()}`),
};

const json: Language = {
  pattern: oneOf(
    `(?<comment>\\/\\/.*|${block("\\/\\*", "\\*\\/")})`,
    `(?<name>${quoted('"')}(?=[ \\t]*:))`,
    `(?<string>${quoted('"')})`,
    "(?<number>-?\\b\\d[\\w.+-]*)",
    word,
  ),
  keywords: words("true false null"),
};

const settings: Language = {
  pattern: oneOf(
    "(?<comment>(?<![\\w])[#;].*)",
    "(?<keyword>^[ \\t]*\\[[^\\]\\n]*\\]+|^---$)",
    "(?<name>^[ \\t]*(?:- )*[\\w.\"'/-]+(?=[ \\t]*[:=]))",
    `(?<string>${block('"""', '"""')}|${quoted('"')}|${quoted("'")})`,
    number,
    word,
  ),
  keywords: words("true false null yes no on off"),
};

const styles: Language = {
  pattern: oneOf(
    `(?<comment>${block("\\/\\*", "\\*\\/")}|\\/\\/.*)`,
    `(?<string>${quoted('"')}|${quoted("'")})`,
    "(?<keyword>@[\\w-]+|!important)",
    "(?<number>#[\\da-fA-F]{3,8}\\b|[+-]?\\b\\d[\\d.]*[a-z%]*)",
    "(?<name>[\\w-]+(?=[ \\t]*:[^:]))",
    "[\\w-]+",
  ),
};

const markup: Language = {
  pattern: oneOf(
    `(?<comment>${block("<!--", "-->")})`,
    "(?<open><[!?/]?[A-Za-z][\\w:.-]*)",
    "(?<number>&#?\\w+;)",
    "[^<&]+",
  ),
  tag: oneOf("(?<close>[/?]?>)", "(?<string>\"[^\"]*\"?|'[^']*'?)", "(?<name>[\\w:.@-]+)", "[^>\"'\\w]+"),
};

const markdown: Language = {
  pattern: oneOf(
    "(?<keyword>^#{1,6}[ ].*|^(?:---+|===+)$)",
    "(?<comment>^>.*)",
    `(?<string>${block("^```", "^```")}|\`[^\`\\n]*\`?)`,
    "(?<number>^[ \\t]*(?:[-*+]|\\d+\\.)[ ])",
    "(?<name>\\]\\([^)\\n]*\\)?)",
    "[\\w ]+",
  ),
};

const difference: Language = {
  pattern: oneOf(
    "(?<keyword>^(?:@@|diff |index |--- |\\+\\+\\+ ).*)",
    "(?<added>^\\+.*)",
    "(?<removed>^-.*)",
    ".+",
  ),
};

const extensions: [Language, string][] = [
  [
    cLike,
    "ts tsx mts cts js jsx mjs cjs c h cc cpp hpp cs java kt kts go rs swift php dart scala glsl wgsl " +
      "proto zig",
  ],
  [script, "py rb lua jl ex exs r nim"],
  [shell, "sh bash zsh fish ps1 dockerfile makefile mk"],
  [sql, "sql"],
  [json, "json jsonc json5 jsonl ndjson geojson webmanifest ipynb map"],
  [settings, "yaml yml toml ini conf cfg env properties editorconfig tf"],
  [styles, "css scss less"],
  [markup, "html htm xhtml xml svg gpx kml rss atom xsd xsl xslt plist vue svelte"],
  [markdown, "md markdown mdx"],
  [difference, "diff patch"],
];

const byExtension = new Map(
  extensions.flatMap(([language, names]) => names.split(" ").map((name) => [name, language] as const)),
);

export const languages = { json, markup };

/** @param extension in lower case; null for one that is not highlighted */
export const languageOf = (extension: string): Language | null => byExtension.get(extension) ?? null;
