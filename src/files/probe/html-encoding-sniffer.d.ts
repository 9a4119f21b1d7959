declare module "html-encoding-sniffer" {
  /** The encoding that a page declares, by the name of the Encoding Standard. */
  export default function sniff(
    bytes: Uint8Array,
    options: { defaultEncoding: null; maxPrescanBytes: number },
  ): string | null;
}
