import { runGroup } from '../helpers/groups.ts'

runGroup('memory')
