// What a test of react-admin calls of React. With @types/react, the elements of pages would be objects without members
// in all tests, as it declares them anew.

declare module 'react' {
  export function createElement (type: unknown, props: object | null, ...children: readonly unknown[]): unknown
  export function useEffect (effect: () => void): void
}

declare module 'react-test-renderer' {
  export function create (element: unknown): { unmount (): void, toJSON (): unknown }
}
