/** What `renderDocs` renders: facts of the model of the generator, and the document itself. */
export type DocsInput = {
    readonly title: string;
    readonly version: string;
    readonly description?: string | undefined;
    readonly document: Readonly<Record<string, unknown>>;
    readonly schemes: readonly DocsScheme[];
    readonly operations: readonly DocsOperation[];
};
export type DocsScheme = {
    readonly name: string;
    readonly kind: 'http' | 'apiKey' | 'oauth2' | 'openIdConnect' | 'mutualTLS';
    /** Of HTTP: `bearer`, `basic` or another. */
    readonly scheme?: string;
    /** Of an API key: its place, and its name there. */
    readonly in?: 'header' | 'query' | 'cookie';
    readonly parameter?: string;
    /** Of OAuth: the flows by their names. */
    readonly flows?: Readonly<Record<string, {
        readonly urls: Readonly<Record<string, string>>;
        readonly scopes: Readonly<Record<string, string>>;
    }>>;
};
export type DocsOperation = {
    readonly id: string;
    /** As it is sent. */
    readonly method: string;
    readonly path: string;
    readonly tags: readonly string[];
    readonly summary?: string | undefined;
    readonly deprecated: boolean;
    readonly idempotent: boolean;
    /** The most that a call costs. */
    readonly priceUsd?: number;
    /** Any one of these sets of schemes authorizes the caller. */
    readonly security: readonly (readonly string[])[];
    /** The base URLs. The first is the default. */
    readonly servers: readonly string[];
};
/** A file of the reference, by its path in the folder of the reference. */
export type DocsFile = {
    readonly path: string;
    readonly text: string;
};
export declare function renderDocs(input: DocsInput): Iterable<DocsFile>
