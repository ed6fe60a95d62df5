import type { JSX } from 'preact'

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'farebox-console': JSX.HTMLAttributes<HTMLElement>
    }
  }
}
