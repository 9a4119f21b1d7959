/** The port to the documentation, which search reads without knowing how its pages are made. */

/** A section of a documentation page. */
export interface DocSection {
  /** `/docs/guide#errors`. */
  path: string;
  /** Title of the page. */
  page: string;
  /** Heading of the section; that of the page in its first section. */
  heading: string;
  /** Plain text. */
  text: string;
}
