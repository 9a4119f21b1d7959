/** The program that does nothing. */
export {};
