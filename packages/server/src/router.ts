// Finds a request's route by one regular expression: a tree, which takes what no expression can, costs each request more
// than all other routing. Under /merchants a name and a parameter stand in the same place, and the tree is needed.
import type { Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { TrieRouter } from 'hono/router/trie-router'

const MERCHANTS = '/merchants/'

export const plazoRouter = <T>(): Router<T> => {
  const [ofMerchants, ofOthers] = [new TrieRouter<T>(), new RegExpRouter<T>()]
  return {
    name: 'plazo',
    add: (method, path, handler) => {
      const isOfMerchants = path.startsWith(MERCHANTS)
      if (isOfMerchants || path === '*' || path === '/*') ofMerchants.add(method, path, handler)
      if (!isOfMerchants) ofOthers.add(method, path, handler)
    },
    match: (method, path) => (path.startsWith(MERCHANTS) ? ofMerchants : ofOthers).match(method, path),
  }
}
