"""What several families are made of: equations, kicks, stages, tableaux, schemes of composition."""
